import { lifecycle } from '#libs/kernel/lifecycle.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';

const anyState = ['open', 'won', 'lost'] as const;

/** Applies to open deals beyond their first stage, see `DealsService.gating`. */
const discount = { key: 'deal.discount', past: ['open'] } as const;

/** A deal's state is its status, the category of its stage. */
export const dealLifecycle = lifecycle({
  states: ['open', 'won', 'lost'],
  initial: 'open',
  transitions: {
    move: {
      from: ['open'],
      to: null,
      permission: 'deals:write',
      event: 'stage_changed',
      summary: 'Move a deal to another open stage of its pipeline',
      happened: 'A deal was moved to another stage or pipeline.',
      gate: discount,
    },
    change_pipeline: {
      from: ['open'],
      to: null,
      permission: 'deals:write',
      event: 'stage_changed',
      summary: 'Move a deal to another pipeline',
      happened: 'A deal was moved to another stage or pipeline.',
      gate: discount,
    },
    win: {
      from: ['open'],
      to: 'won',
      permission: 'deals:close',
      event: 'won',
      summary: 'Win a deal',
      happened: 'A deal was won.',
      risk: 'medium',
      gate: { key: 'deal.win', past: ['won'], guards: ['valueMinor', 'currency'] },
    },
    lose: {
      from: ['open'],
      to: 'lost',
      permission: 'deals:close',
      event: 'lost',
      summary: 'Lose a deal',
      happened: 'A deal was lost.',
      risk: 'medium',
    },
    reopen: {
      from: ['won', 'lost'],
      to: 'open',
      permission: 'deals:close',
      event: 'reopened',
      summary: 'Reopen a won or lost deal',
      happened: 'A won or lost deal was reopened.',
      risk: 'medium',
      gate: discount,
    },
    ...archiveActions('deal', anyState, 'deals:write'),
    ...trashActions('deal', ['open', 'lost'], 'deals:delete', 'medium'),
  },
});

export type DealAction = keyof typeof dealLifecycle.transitions;
export type DealStatus = (typeof dealLifecycle.states)[number];
