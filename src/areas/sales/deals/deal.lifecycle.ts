import { lifecycle } from '#libs/kernel/lifecycle.js';

const anyState = ['open', 'won', 'lost'] as const;

/** `Source:` domain document "core", section 4.2. A deal's state is its status, the category of its stage. */
export const dealLifecycle = lifecycle({
  states: ['open', 'won', 'lost'],
  initial: 'open',
  transitions: {
    move: {
      from: ['open'],
      to: 'open',
      permission: 'deals:write',
      event: 'stage_changed',
      summary: 'Move a deal to another open stage of its pipeline',
    },
    change_pipeline: {
      from: ['open'],
      to: 'open',
      permission: 'deals:write',
      event: 'stage_changed',
      summary: 'Move a deal to another pipeline',
    },
    win: { from: ['open'], to: 'won', permission: 'deals:close', event: 'won', summary: 'Win a deal', risk: 'medium' },
    lose: { from: ['open'], to: 'lost', permission: 'deals:close', event: 'lost', summary: 'Lose a deal', risk: 'medium' },
    reopen: {
      from: ['won', 'lost'],
      to: 'open',
      permission: 'deals:close',
      event: 'reopened',
      summary: 'Open a won or lost deal again',
      risk: 'medium',
    },
    archive: { from: anyState, to: null, permission: 'deals:write', event: 'updated', summary: 'Archive a deal' },
    unarchive: {
      from: anyState,
      to: null,
      permission: 'deals:write',
      event: 'updated',
      summary: 'Bring a deal back from the archive',
    },
    delete: {
      from: ['open', 'lost'],
      to: null,
      permission: 'deals:delete',
      event: 'deleted',
      summary: 'Put a deal into the trash',
      risk: 'medium',
    },
    restore: {
      from: ['open', 'lost'],
      to: null,
      permission: 'deals:delete',
      event: 'restored',
      summary: 'Bring a deal back from the trash',
    },
  },
});

export type DealAction = keyof typeof dealLifecycle.transitions;
export type DealStatus = (typeof dealLifecycle.states)[number];
