import { lifecycle } from '#libs/kernel/lifecycle.js';

const anyState = ['new', 'working', 'qualified', 'disqualified'] as const;

/** `Source:` domain document "core", section 3. A lead is qualified by being converted, and by nothing else. */
export const leadLifecycle = lifecycle({
  states: anyState,
  initial: 'new',
  transitions: {
    start: {
      from: ['new'],
      to: 'working',
      permission: 'leads:write',
      event: 'started',
      summary: 'Start working on a lead',
      happened: 'Somebody started working on a lead.',
    },
    convert: {
      from: ['new', 'working'],
      to: 'qualified',
      permission: 'leads:write',
      event: 'converted',
      summary: 'Turn a lead into account, contact and deal',
      happened: 'A lead became an account, a contact and a deal.',
      risk: 'medium',
    },
    disqualify: {
      from: ['new', 'working'],
      to: 'disqualified',
      permission: 'leads:write',
      event: 'disqualified',
      summary: 'Give a lead up',
      happened: 'A lead was given up.',
    },
    reopen: {
      from: ['disqualified'],
      to: 'working',
      permission: 'leads:write',
      event: 'reopened',
      summary: 'Work on a lead again',
      happened: 'A lead that was given up is worked on again.',
    },
    archive: {
      from: anyState,
      to: null,
      permission: 'leads:write',
      event: 'updated',
      summary: 'Archive a lead',
      happened: 'Fields of a lead changed.',
    },
    unarchive: {
      from: anyState,
      to: null,
      permission: 'leads:write',
      event: 'updated',
      summary: 'Bring a lead back from the archive',
      happened: 'Fields of a lead changed.',
    },
    delete: {
      from: anyState,
      to: null,
      permission: 'leads:delete',
      event: 'deleted',
      summary: 'Put a lead into the trash',
      happened: 'A lead was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: anyState,
      to: null,
      permission: 'leads:delete',
      event: 'restored',
      summary: 'Bring a lead back from the trash',
      happened: 'A lead was brought back from the trash.',
    },
  },
});

export type LeadAction = keyof typeof leadLifecycle.transitions;
export type LeadStatus = (typeof leadLifecycle.states)[number];
