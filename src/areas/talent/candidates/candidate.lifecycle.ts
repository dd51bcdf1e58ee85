import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['active', 'hired', 'rejected', 'withdrawn'] as const;
const notHired = ['active', 'rejected', 'withdrawn'] as const;

/** The state is that of the mirrored application. */
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
      summary: 'Record that a candidate withdrew',
      happened: 'A candidate withdrew.',
    },
    reopen: {
      from: ['rejected', 'withdrawn'],
      to: 'active',
      permission: 'candidates:write',
      event: 'reopened',
      summary: 'Reopen the application of a rejected or withdrawn candidate',
      happened: 'The application of a rejected or withdrawn candidate was reopened.',
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
      summary: 'Anonymise a candidate: erase all personal data',
      happened:
        'The personal data of a candidate was erased, also in merged duplicates, comments, attachments and the audit log.',
      risk: 'high',
      isErasure: true,
    },
    ...archiveActions('candidate', anyState, 'candidates:write'),
    ...trashActions('candidate', notHired, 'candidates:delete', 'medium'),
  },
});

export type CandidateAction = keyof typeof candidateLifecycle.transitions;
