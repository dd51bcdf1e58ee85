import { lifecycle } from '#libs/kernel/lifecycle.js';
import { APPROVAL_STATUSES } from './approval.parts.js';

export const approvalLifecycle = lifecycle({
  states: APPROVAL_STATUSES,
  initial: 'pending',
  transitions: {
    approve: {
      from: ['pending'],
      to: 'approved',
      permission: 'approvals:decide',
      event: 'approved',
      summary: 'Approve a parked action',
      happened: 'An action has all the approvals that it needs.',
      risk: 'medium',
    },
    reject: {
      from: ['pending'],
      to: 'rejected',
      permission: 'approvals:decide',
      event: 'rejected',
      summary: 'Reject a parked action',
      happened: 'An action was rejected.',
      risk: 'medium',
    },
    cancel: {
      from: ['pending'],
      to: 'cancelled',
      permission: 'approvals:manage',
      event: 'cancelled',
      summary: 'Take a request for approval back',
      happened: 'A request for approval was taken back.',
    },
    expire: {
      from: ['pending'],
      to: 'expired',
      permission: 'approvals:manage',
      event: 'expired',
      summary: 'Let a request for approval expire',
      happened: 'Nobody decided a request for approval in time.',
      byPlatform: true,
    },
    execute: {
      from: ['approved'],
      to: 'executed',
      permission: 'approvals:manage',
      event: 'executed',
      summary: 'Note that an approved action was taken',
      happened: 'An approved action was taken.',
      risk: 'medium',
      byPlatform: true,
    },
    fail: {
      from: ['approved'],
      to: 'failed',
      permission: 'approvals:manage',
      event: 'failed',
      summary: 'Note that an approved action could not be taken',
      happened: 'An approved action could not be taken any more.',
      risk: 'medium',
      byPlatform: true,
    },
  },
});

export type ApprovalAction = keyof typeof approvalLifecycle.transitions;
