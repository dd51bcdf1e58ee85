import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/standard-actions.js';

const anyState = ['active', 'hired', 'rejected', 'withdrawn'] as const;
const notHired = ['active', 'rejected', 'withdrawn'] as const;

/** The state is that of the application that the candidate mirrors. */
export const candidateLifecycle = lifecycle({
  states: anyState,
  initial: 'active',
  transitions: {
    move: {
      from: ['active'],
      to: 'active',
      permission: 'candidates:write',
      event: 'stage_changed',
      summary: 'Move a candidate to another open stage',
      happened: 'A candidate was moved to another stage.',
    },
    reject: {
      from: ['active'],
      to: 'rejected',
      permission: 'candidates:write',
      event: 'rejected',
      summary: 'Reject a candidate',
      happened: 'A candidate was rejected.',
    },
    withdraw: {
      from: ['active'],
      to: 'withdrawn',
      permission: 'candidates:write',
      event: 'withdrawn',
      summary: 'Note that a candidate withdrew',
      happened: 'A candidate withdrew.',
    },
    reopen: {
      from: ['rejected', 'withdrawn'],
      to: 'active',
      permission: 'candidates:write',
      event: 'reopened',
      summary: 'Consider a rejected or withdrawn candidate again',
      happened: 'A rejected or withdrawn candidate is considered again.',
    },
    hire: {
      from: ['active'],
      to: 'hired',
      permission: 'candidates:hire',
      event: 'hired',
      summary: 'Hire a candidate',
      happened: 'A candidate was hired.',
      risk: 'medium',
    },
    anonymize: {
      from: notHired,
      to: null,
      permission: 'candidates:delete',
      event: 'anonymized',
      summary: 'Erase what is known about a candidate, except for what is counted',
      happened:
        'What was known about a candidate was erased, also in merged duplicates, comments, attachments and the audit log.',
      risk: 'high',
    },
    ...archiveActions('candidate', anyState, 'candidates:write'),
    ...trashActions('candidate', notHired, 'candidates:delete', 'medium'),
  },
});

export type CandidateAction = keyof typeof candidateLifecycle.transitions;
