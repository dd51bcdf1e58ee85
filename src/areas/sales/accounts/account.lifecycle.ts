import { lifecycle } from '#libs/kernel/lifecycle.js';

const anyState = ['prospect', 'active', 'churned', 'blocked'] as const;

/**
 * `Source:` domain document "core", section 3. A blocked account returns to where it was, which the service knows; the table
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
    archive: {
      from: anyState,
      to: null,
      permission: 'accounts:write',
      event: 'updated',
      summary: 'Archive an account',
      happened: 'Fields of an account changed.',
    },
    unarchive: {
      from: anyState,
      to: null,
      permission: 'accounts:write',
      event: 'updated',
      summary: 'Bring an account back from the archive',
      happened: 'Fields of an account changed.',
    },
    delete: {
      from: anyState,
      to: null,
      permission: 'accounts:delete',
      event: 'deleted',
      summary: 'Put an account into the trash',
      happened: 'An account was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: anyState,
      to: null,
      permission: 'accounts:delete',
      event: 'restored',
      summary: 'Bring an account back from the trash',
      happened: 'An account was brought back from the trash.',
    },
  },
});

export type AccountAction = keyof typeof accountLifecycle.transitions;
