import { lifecycle } from '#libs/kernel/lifecycle.js';
import { trashActions } from '#libs/resource/standard-actions.js';

/** Whether an open one is overdue follows from its date and is no state. */
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
    ...trashActions('milestone', ['open'], 'milestones:delete', 'medium'),
  },
});

export type MilestoneAction = keyof typeof milestoneLifecycle.transitions;
export type MilestoneStatus = (typeof milestoneLifecycle.states)[number];
