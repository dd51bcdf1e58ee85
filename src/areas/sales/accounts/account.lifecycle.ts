import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['prospect', 'active', 'churned', 'blocked'] as const;

/**
 * A blocked account returns to its previous state, which the service determines; the table lists the first possible
 * one.
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
      summary: 'Activate an account',
      happened: 'An account became active.',
    },
    churn: {
      from: ['active'],
      to: 'churned',
      permission: 'accounts:write',
      event: 'churned',
      summary: 'Mark an account as churned',
      happened: 'An active account churned.',
      risk: 'medium',
    },
    block: {
      from: ['prospect', 'active', 'churned'],
      to: 'blocked',
      permission: 'accounts:write',
      event: 'blocked',
      summary: 'Block an account',
      happened: 'An account was blocked: no more invoices can be issued to it.',
      risk: 'medium',
    },
    unblock: {
      from: ['blocked'],
      to: 'prospect',
      permission: 'accounts:write',
      event: 'unblocked',
      summary: 'Unblock an account',
      happened: 'A blocked account returned to the state that it was in.',
      risk: 'medium',
    },
    ...archiveActions('account', anyState, 'accounts:write'),
    ...trashActions('account', anyState, 'accounts:delete', 'medium'),
  },
});

export type AccountAction = keyof typeof accountLifecycle.transitions;
export type AccountState = (typeof accountLifecycle.states)[number];
