import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['new', 'working', 'qualified', 'disqualified'] as const;

/** Only a conversion qualifies a lead. */
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
      happened: 'Work on a lead was started.',
    },
    convert: {
      from: ['new', 'working'],
      to: 'qualified',
      permission: 'leads:write',
      event: 'converted',
      summary: 'Convert a lead to an account, a contact and a deal',
      happened: 'A lead was converted to an account, a contact and a deal.',
      risk: 'medium',
    },
    disqualify: {
      from: ['new', 'working'],
      to: 'disqualified',
      permission: 'leads:write',
      event: 'disqualified',
      summary: 'Disqualify a lead',
      happened: 'A lead was disqualified.',
    },
    reopen: {
      from: ['disqualified'],
      to: 'working',
      permission: 'leads:write',
      event: 'reopened',
      summary: 'Reopen a disqualified lead',
      happened: 'A disqualified lead was reopened.',
    },
    ...archiveActions('lead', anyState, 'leads:write'),
    ...trashActions('lead', anyState, 'leads:delete', 'medium'),
  },
});

export type LeadAction = keyof typeof leadLifecycle.transitions;
export type LeadStatus = (typeof leadLifecycle.states)[number];
