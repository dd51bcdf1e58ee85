import { lifecycle } from '#libs/kernel/lifecycle.js';

/** The gate that tenants can configure for AI jobs. */
export const RUN_GATE = 'ai.job.run';

/**
 * An allowed job stays queued; `succeed` leads to a review if the outcome proposes changes that have not been accepted
 * yet.
 */
export const aiJobLifecycle = lifecycle({
  states: [
    'queued',
    'awaiting_approval',
    'approved',
    'running',
    'awaiting_review',
    'succeeded',
    'failed',
    'rejected',
    'expired',
    'over_cost_cap',
    'cancelled',
  ],
  initial: 'queued',
  transitions: {
    require_approval: {
      from: ['queued'],
      to: 'awaiting_approval',
      permission: 'ai-jobs:write',
      event: 'approval_requested',
      summary: 'Have an AI job wait for approval',
      happened: 'An AI job waits for approval.',
      byPlatform: true,
    },
    approve: {
      from: ['awaiting_approval'],
      to: 'approved',
      permission: 'ai-jobs:approve',
      event: 'approved',
      summary: 'Approve an AI job',
      happened: 'An AI job has all the approvals that it needs.',
      risk: 'medium',
    },
    reject: {
      from: ['awaiting_approval'],
      to: 'rejected',
      permission: 'ai-jobs:approve',
      event: 'rejected',
      summary: 'Reject an AI job',
      happened: 'An AI job was rejected.',
      risk: 'medium',
    },
    expire: {
      from: ['queued', 'awaiting_approval', 'approved'],
      to: 'expired',
      permission: 'ai-jobs:manage',
      event: 'expired',
      summary: 'Let an AI job expire',
      happened: 'An AI job was neither decided nor started in time.',
      byPlatform: true,
    },
    start: {
      from: ['queued', 'approved'],
      to: 'running',
      permission: 'ai-jobs:manage',
      event: 'started',
      summary: 'Start an AI job',
      happened: 'A worker has started an AI job.',
      byPlatform: true,
    },
    succeed: {
      from: ['running'],
      to: 'succeeded',
      permission: 'ai-jobs:manage',
      event: 'succeeded',
      summary: 'Note that an AI job is done',
      happened: 'An AI job is done.',
      byPlatform: true,
    },
    request_review: {
      from: ['running'],
      to: 'awaiting_review',
      permission: 'ai-jobs:manage',
      event: 'review_requested',
      summary: 'Have the changes that an AI job proposes wait for a review',
      happened: 'An AI job is done and proposes changes.',
      byPlatform: true,
    },
    review: {
      from: ['awaiting_review'],
      to: 'succeeded',
      permission: 'ai-jobs:approve',
      event: 'reviewed',
      summary: 'Accept and reject the changes that an AI job proposes',
      happened: 'The changes that an AI job proposes were accepted or rejected.',
      risk: 'medium',
    },
    fail: {
      from: ['queued', 'approved', 'running'],
      to: 'failed',
      permission: 'ai-jobs:manage',
      event: 'failed',
      summary: 'Note that an AI job has failed',
      happened: 'An AI job has failed.',
      byPlatform: true,
    },
    cap_reached: {
      from: ['queued', 'approved', 'running'],
      to: 'over_cost_cap',
      permission: 'ai-jobs:manage',
      event: 'cost_cap_reached',
      summary: 'Stop an AI job at its cost cap',
      happened: 'An AI job was stopped because its next call could exceed the cost cap.',
      risk: 'medium',
      byPlatform: true,
    },
    cancel: {
      from: ['queued', 'awaiting_approval', 'approved', 'running', 'awaiting_review'],
      to: 'cancelled',
      permission: 'ai-jobs:write',
      event: 'cancelled',
      summary: 'Cancel an AI job',
      happened: 'An AI job was cancelled.',
    },
    retry: {
      from: ['failed', 'over_cost_cap', 'expired'],
      to: 'queued',
      permission: 'ai-jobs:write',
      event: 'queued',
      summary: 'Have an AI job run again',
      happened: 'An AI job waits to be run.',
    },
  },
});

export type AiJobStatus = (typeof aiJobLifecycle.states)[number];
export type AiJobAction = keyof typeof aiJobLifecycle.transitions;
