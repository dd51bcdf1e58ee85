import { invalidTransition } from '#libs/kernel/lifecycle.js';
import type { MappingStatus } from './mapping.js';
import type { Plan } from './mapping-template.js';
import type { MappingValues, RequiredValue } from './mapping-values.js';

export const MAPPING_ACTIONS = ['apply', 'retry', 'cancel'] as const;
export type MappingAction = (typeof MAPPING_ACTIONS)[number];

/** The states in which a caller can take an action, or edit the values. */
const FROM: Record<MappingAction | 'update', readonly MappingStatus[]> = {
  update: ['draft', 'ready', 'failed'],
  apply: ['ready'],
  retry: ['failed'],
  cancel: ['draft', 'ready', 'applying', 'applied', 'failed'],
};

/** @throws Problem 409 `invalid_transition`. */
export function requirePossible(
  action: MappingAction | 'update',
  { status, missing }: { status: MappingStatus; missing: readonly string[] },
): void {
  if (FROM[action].includes(status)) return;
  const allowed = MAPPING_ACTIONS.filter((each) => FROM[each].includes(status));
  const lacks = action === 'apply' && missing.length > 0;
  const detail = lacks ? `Set the missing values first: ${missing.join(', ')}.` : undefined;
  throw invalidTransition(action, { state: status }, allowed, detail);
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
