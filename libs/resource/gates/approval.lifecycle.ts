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
      happened: 'A parked action has received all required approvals.',
      risk: 'medium',
    },
    reject: {
      from: ['pending'],
      to: 'rejected',
      permission: 'approvals:decide',
      event: 'rejected',
      summary: 'Reject a parked action',
      happened: 'A parked action was rejected.',
      risk: 'medium',
    },
    cancel: {
      from: ['pending'],
      to: 'cancelled',
      permission: 'approvals:manage',
      event: 'cancelled',
      summary: 'Cancel a request for approval',
      happened: 'A request for approval was cancelled.',
    },
    expire: {
      from: ['pending'],
      to: 'expired',
      permission: 'approvals:manage',
      event: 'expired',
      summary: 'Expire a request for approval',
      happened: 'A request for approval expired without a decision.',
      byPlatform: true,
    },
    execute: {
      from: ['approved'],
      to: 'executed',
      permission: 'approvals:manage',
      event: 'executed',
      summary: 'Record that an approved action was executed',
      happened: 'An approved action was executed.',
      risk: 'medium',
      byPlatform: true,
    },
    fail: {
      from: ['approved'],
      to: 'failed',
      permission: 'approvals:manage',
      event: 'failed',
      summary: 'Record that an approved action failed',
      happened: 'An approved action could not be executed.',
      risk: 'medium',
      byPlatform: true,
    },
  },
});

export type ApprovalAction = keyof typeof approvalLifecycle.transitions;
