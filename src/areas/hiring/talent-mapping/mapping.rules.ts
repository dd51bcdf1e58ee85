import { within } from '#libs/kernel/action.js';
import { actionsFrom, invalidTransition, moves } from '#libs/kernel/lifecycle.js';
import { MAPPING_STATUSES, type MappingStatus } from './mapping.js';
import type { Plan } from './mapping-template.js';
import type { MappingValues, RequiredValue } from './mapping-values.js';

export const MAPPING_ACTIONS = ['apply', 'retry', 'cancel'] as const;
export type MappingAction = (typeof MAPPING_ACTIONS)[number];

const PERMISSION = 'talent-mappings:apply';
/** Who has applied a mapping stands behind its steps. Those who may retry it are told of a refusal. */
export const APPLIED = { of: 'orderer', asks: PERMISSION, told: { holdersOf: PERMISSION } } as const;
/** The right to apply and retry a mapping, and to cancel one that has begun. */
export const APPLY = within(PERMISSION);

export const mappingLife = moves({
  states: MAPPING_STATUSES,
  initial: 'draft',
  transitions: {
    apply: { from: ['ready'], to: 'applying', event: 'started', may: [APPLY] },
    retry: { from: ['failed'], to: 'applying', event: 'started', may: [APPLY] },
    cancel: { from: ['draft', 'ready', 'applying', 'applied', 'failed'], to: 'cancelled', event: 'cancelled' },
    fill: { from: ['draft'], to: 'ready', event: 'updated', byPlatform: true },
    empty: { from: ['ready'], to: 'draft', event: 'updated', byPlatform: true },
    execute: { from: ['applying'], to: 'applying', event: 'updated', byPlatform: true },
    complete: { from: ['applying'], to: 'applied', event: 'applied', byPlatform: true },
    fail: { from: ['applying'], to: 'failed', event: 'failed', byPlatform: true },
  },
});
/** The states in which callers can edit the values. */
const EDITABLE: readonly MappingStatus[] = ['draft', 'ready', 'failed'];

/** @throws Problem 409 `invalid_transition`. */
export function requireEditable(status: MappingStatus): void {
  if (!EDITABLE.includes(status))
    throw invalidTransition('update', { state: status }, actionsFrom(mappingLife, status));
}

/** Why a mapping with missing values cannot be applied; undefined for another reason. */
export function lackOf(action: MappingAction, missing: readonly string[]): string | undefined {
  return action === 'apply' && missing.length > 0 ? `Set the missing values first: ${missing.join(', ')}.` : undefined;
}

/** Whether cancelling has to revert something, which requires the permission to apply. */
export function hasBegun(status: MappingStatus): boolean {
  return status === 'applying' || status === 'applied' || status === 'failed';
}

/** The required values that are null. `email` is the address of the candidate. */
export function missingIn(
  { startDate, workEmail }: MappingValues,
  { createMembership }: Plan,
  email: string | null,
): RequiredValue[] {
  const missing: RequiredValue[] = [];
  if (startDate === null) missing.push('startDate');
  if (createMembership && workEmail === null && email === null) missing.push('workEmail');
  return missing;
}
