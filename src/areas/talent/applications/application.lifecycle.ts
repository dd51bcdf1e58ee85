import { lifecycle } from '#libs/kernel/lifecycle.js';

/** The state is the status; the stage is the position of an active application in the hiring process. */
export const applicationLifecycle = lifecycle({
  states: ['active', 'hired', 'rejected', 'withdrawn'],
  initial: 'active',
  transitions: {
    move: {
      from: ['active'],
      to: 'active',
      permission: 'candidates:write',
      event: 'stage_changed',
      summary: 'Move an application to another open stage',
      happened: 'An application was moved to another stage.',
    },
    reject: {
      from: ['active'],
      to: 'rejected',
      permission: 'candidates:write',
      event: 'rejected',
      summary: 'Reject an application',
      happened: 'An application was rejected.',
    },
    withdraw: {
      from: ['active'],
      to: 'withdrawn',
      permission: 'candidates:write',
      event: 'withdrawn',
      summary: 'Record that an application was withdrawn',
      happened: 'An application was withdrawn.',
    },
    reopen: {
      from: ['rejected', 'withdrawn'],
      to: 'active',
      permission: 'candidates:write',
      event: 'reopened',
      summary: 'Reopen a rejected or withdrawn application',
      happened: 'A rejected or withdrawn application was reopened.',
    },
    hire: {
      from: ['active'],
      to: 'hired',
      permission: 'candidates:hire',
      event: 'hired',
      summary: 'Hire the candidate of an application',
      happened: 'The candidate of an application was hired.',
      risk: 'medium',
    },
  },
});

export type ApplicationAction = keyof typeof applicationLifecycle.transitions;
export type ApplicationStatus = (typeof applicationLifecycle.states)[number];
