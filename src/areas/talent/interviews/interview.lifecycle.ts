import { lifecycle } from '#libs/kernel/lifecycle.js';
import { trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['scheduled', 'completed', 'cancelled', 'no_show'] as const;

export const interviewLifecycle = lifecycle({
  states: anyState,
  initial: 'scheduled',
  transitions: {
    complete: {
      from: ['scheduled'],
      to: 'completed',
      permission: 'interviews:write',
      event: 'completed',
      summary: 'Record that an interview took place',
      happened: 'An interview took place.',
    },
    cancel: {
      from: ['scheduled'],
      to: 'cancelled',
      permission: 'interviews:write',
      event: 'cancelled',
      summary: 'Cancel an interview',
      happened: 'An interview was cancelled.',
    },
    no_show: {
      from: ['scheduled'],
      to: 'no_show',
      permission: 'interviews:write',
      event: 'missed',
      summary: 'Record that the candidate did not come',
      happened: 'A candidate did not come to an interview.',
    },
    ...trashActions('interview', anyState, 'interviews:delete'),
  },
});

export type InterviewAction = keyof typeof interviewLifecycle.transitions;
export type InterviewStatus = (typeof interviewLifecycle.states)[number];
