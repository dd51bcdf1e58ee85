import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/standard-actions.js';

const anyState = ['new', 'working', 'qualified', 'disqualified'] as const;

/** A lead is qualified by being converted, and by nothing else. */
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
    ...archiveActions('lead', anyState, 'leads:write'),
    ...trashActions('lead', anyState, 'leads:delete', 'medium'),
  },
});

export type LeadAction = keyof typeof leadLifecycle.transitions;
export type LeadStatus = (typeof leadLifecycle.states)[number];
