import { invalidTransition } from '#libs/kernel/lifecycle.js';
import type { HandoffStatus } from './handoff.parts.js';

export const HANDOFF_ACTIONS = ['submit', 'accept', 'return', 'cancel', 'retry'] as const;
export type HandoffAction = (typeof HANDOFF_ACTIONS)[number];

/** The statuses in which each action is possible. */
const POSSIBLE: Record<HandoffAction, readonly HandoffStatus[]> = {
  submit: ['draft', 'returned'],
  accept: ['submitted'],
  return: ['submitted'],
  cancel: ['draft', 'submitted', 'returned'],
  retry: ['failed'],
};

/** Statuses before acceptance, in which a handoff can be changed and cancelled. */
export const OPEN: readonly HandoffStatus[] = POSSIBLE.cancel;
/** Statuses in which steps may run. */
export const RUNNING: readonly HandoffStatus[] = ['accepted', 'executing'];
/** Statuses that a handoff does not leave. */
export const CLOSED: readonly HandoffStatus[] = ['completed', 'cancelled'];

export function actionsIn(status: HandoffStatus): HandoffAction[] {
  return HANDOFF_ACTIONS.filter((action) => POSSIBLE[action].includes(status));
}

/** @throws Problem 409 `invalid_transition`. */
export function refuseImpossible(status: HandoffStatus, action: HandoffAction): void {
  if (!POSSIBLE[action].includes(status)) throw invalidTransition(action, { state: status }, actionsIn(status));
}
