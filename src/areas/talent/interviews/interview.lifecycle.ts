import { lifecycle } from '#libs/kernel/lifecycle.js';

const anyState = ['scheduled', 'completed', 'cancelled', 'no_show'] as const;

/** `Source:` domain document "core", section 8.3. */
export const interviewLifecycle = lifecycle({
  states: anyState,
  initial: 'scheduled',
  transitions: {
    complete: {
      from: ['scheduled'],
      to: 'completed',
      permission: 'interviews:write',
      event: 'completed',
      summary: 'Note that an interview took place',
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
      summary: 'Note that the candidate did not come',
      happened: 'A candidate did not come to an interview.',
    },
    delete: {
      from: anyState,
      to: null,
      permission: 'interviews:delete',
      event: 'deleted',
      summary: 'Put an interview into the trash',
      happened: 'An interview was put into the trash.',
    },
    restore: {
      from: anyState,
      to: null,
      permission: 'interviews:delete',
      event: 'restored',
      summary: 'Bring an interview back from the trash',
      happened: 'An interview was brought back from the trash.',
    },
  },
});

export type InterviewAction = keyof typeof interviewLifecycle.transitions;
export type InterviewStatus = (typeof interviewLifecycle.states)[number];
