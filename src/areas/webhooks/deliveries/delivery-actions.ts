import { Problem } from '#libs/kernel/problem.js';
import type { LockedDelivery } from '#libs/webhooks/delivery-moves.js';
import type { StoredStatus } from '#libs/webhooks/delivery-status.js';

/** States from which an operator can replay or skip deliveries. A delivery in flight is left to its worker. */
export const MOVES = {
  replay: ['delivered', 'retrying', 'exhausted', 'skipped'],
  skip: ['pending', 'retrying', 'exhausted', 'held'],
} as const satisfies Record<string, readonly StoredStatus[]>;

export type DeliveryAction = keyof typeof MOVES;

const isPossible = (action: DeliveryAction, { status, inFlight }: LockedDelivery): boolean =>
  !inFlight && (MOVES[action] as readonly StoredStatus[]).includes(status);

/** @throws Problem 409 `outbox_state_conflict` if the state of a delivery does not allow the action. */
export function checkAction(action: DeliveryAction, delivery: LockedDelivery): void {
  if (!isPossible(action, delivery)) throw stateConflict(action, delivery);
}

/** 409 `outbox_state_conflict`. */
export function stateConflict(action: DeliveryAction | 'resend', delivery: LockedDelivery): Problem {
  const state = delivery.inFlight ? 'in_flight' : delivery.status;
  const allowedActions = (Object.keys(MOVES) as DeliveryAction[]).filter((each) => isPossible(each, delivery));
  return new Problem('outbox_state_conflict', `The action ${action} is not possible in the state ${state}.`, {
    extensions: { state, action, allowedActions },
  });
}
