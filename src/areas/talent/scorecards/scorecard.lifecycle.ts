import { lifecycle } from '#libs/kernel/lifecycle.js';

/** A submitted scorecard is immutable. */
export const scorecardLifecycle = lifecycle({
  states: ['draft', 'submitted'],
  initial: 'draft',
  transitions: {
    submit: {
      from: ['draft'],
      to: 'submitted',
      permission: 'interview-scorecards:write',
      event: 'submitted',
      summary: 'Submit a scorecard; it cannot be changed afterwards',
      happened: 'A scorecard was submitted.',
      risk: 'medium',
    },
  },
});

export type ScorecardAction = keyof typeof scorecardLifecycle.transitions;
export type ScorecardStatus = (typeof scorecardLifecycle.states)[number];
