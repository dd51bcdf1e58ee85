import { within } from '#libs/kernel/action.js';
import { moves } from '#libs/kernel/lifecycle.js';
import { HANDOFF_STATUSES, type HandoffStatus } from './handoff.parts.js';

export const HANDOFF_ACTIONS = ['submit', 'accept', 'return', 'cancel', 'retry'] as const;
export type HandoffAction = (typeof HANDOFF_ACTIONS)[number];

/** Who has accepted a handoff stands behind its steps; the delivery owner has to put right what is refused. */
export const ACCEPTED = { of: 'orderer', asks: 'handoffs:accept', told: { memberIn: 'deliveryOwnerId' } } as const;
export const WRITE = within('handoffs:write');
/** Who may accept and return: the delivery owner, and holders of the permission. */
const OF_DELIVERY = { may: [within(ACCEPTED.asks)], orHolder: 'deliveryOwnerId' };
const BY_ANOTHER = { person: 'submittedByPerson', detail: 'Nobody may accept a handoff that they have submitted.' };
/** Statuses in which steps may run. */
const RUNNING = ['accepted', 'executing'] as const;

export const handoffLife = moves({
  states: HANDOFF_STATUSES,
  initial: 'draft',
  transitions: {
    submit: { from: ['draft', 'returned'], to: 'submitted', event: 'submitted', may: [WRITE] },
    accept: { from: ['submitted'], to: 'accepted', event: 'accepted', ...OF_DELIVERY, notBy: BY_ANOTHER },
    return: { from: ['submitted'], to: 'returned', event: 'returned', ...OF_DELIVERY, needs: ['reason'] },
    cancel: {
      from: ['draft', 'submitted', 'returned'],
      to: 'cancelled',
      event: 'cancelled',
      may: [WRITE],
      needs: ['reason'],
    },
    retry: { from: ['failed'], to: 'executing', event: 'updated', may: [WRITE] },
    execute: { from: RUNNING, to: 'executing', event: 'updated', byPlatform: true },
    complete: { from: RUNNING, to: 'completed', event: 'completed', byPlatform: true },
    fail: { from: RUNNING, to: 'failed', event: 'failed', byPlatform: true },
  },
});

/** Statuses before acceptance, in which a handoff can be changed and cancelled. */
export const OPEN: readonly HandoffStatus[] = handoffLife.transitions.cancel.from;
/** Statuses that a handoff does not leave. */
export const CLOSED: readonly HandoffStatus[] = ['completed', 'cancelled'];
