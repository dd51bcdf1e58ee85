import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/standard-actions.js';

const anyState = ['prospect', 'active', 'churned', 'blocked'] as const;

/**
 * A blocked account returns to where it was, which the service knows; the table
 * says where one that was never anything else returns to.
 */
export const accountLifecycle = lifecycle({
  states: anyState,
  initial: 'prospect',
  transitions: {
    activate: {
      from: ['prospect', 'churned'],
      to: 'active',
      permission: 'accounts:write',
      event: 'activated',
      summary: 'Make an account an active one',
      happened: 'An account became active.',
    },
    churn: {
      from: ['active'],
      to: 'churned',
      permission: 'accounts:write',
      event: 'churned',
      summary: 'Mark an account as lost',
      happened: 'An active account was lost.',
      risk: 'medium',
    },
    block: {
      from: ['prospect', 'active', 'churned'],
      to: 'blocked',
      permission: 'accounts:write',
      event: 'blocked',
      summary: 'Stop business with an account',
      happened: 'An account was blocked: it gets no more proposals and invoices.',
      risk: 'medium',
    },
    unblock: {
      from: ['blocked'],
      to: 'prospect',
      permission: 'accounts:write',
      event: 'unblocked',
      summary: 'Let a blocked account return to where it was',
      happened: 'A blocked account returned to where it was.',
      risk: 'medium',
    },
    ...archiveActions('account', anyState, 'accounts:write'),
    ...trashActions('account', anyState, 'accounts:delete', 'medium'),
  },
});

export type AccountAction = keyof typeof accountLifecycle.transitions;
