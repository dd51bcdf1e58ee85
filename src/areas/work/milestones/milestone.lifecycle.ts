import { lifecycle } from '#libs/kernel/lifecycle.js';

/** `Source:` domain document "core", section 5.3. That an open one was missed follows from its date. */
export const milestoneLifecycle = lifecycle({
  states: ['open', 'reached', 'accepted'],
  initial: 'open',
  transitions: {
    reach: {
      from: ['open'],
      to: 'reached',
      permission: 'milestones:write',
      event: 'reached',
      summary: 'Say that a milestone is reached',
      happened: 'A milestone was reached. If it is billable, its amount can be invoiced.',
      risk: 'medium',
    },
    accept: {
      from: ['reached'],
      to: 'accepted',
      permission: 'milestones:write',
      event: 'accepted',
      summary: 'Say that the customer has accepted a milestone',
      happened: 'A milestone was accepted.',
      risk: 'medium',
    },
    delete: {
      from: ['open'],
      to: null,
      permission: 'milestones:delete',
      event: 'deleted',
      summary: 'Put a milestone into the trash',
      happened: 'A milestone was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: ['open'],
      to: null,
      permission: 'milestones:delete',
      event: 'restored',
      summary: 'Bring a milestone back from the trash',
      happened: 'A milestone was brought back from the trash.',
    },
  },
});

export type MilestoneAction = keyof typeof milestoneLifecycle.transitions;
export type MilestoneStatus = (typeof milestoneLifecycle.states)[number];
