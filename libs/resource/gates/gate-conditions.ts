import type { GateCondition } from '#libs/settings/gate.model.js';

/** Values for evaluating conditions. */
export type Facts = Record<string, unknown>;

/** Whether all conditions are met. A missing value counts as empty. */
export function allHold(conditions: readonly GateCondition[], facts: Facts): boolean {
  return conditions.every((condition) => holds(condition, valueAt(facts, condition.field)));
}

/** An empty value equals only null. It is neither greater nor less than anything. */
function holds({ op, value: wanted }: GateCondition, value: unknown): boolean {
  if (Array.isArray(value)) return holdsForList(op, value, wanted);
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'ne':
      return value !== wanted;
    case 'in':
      return (wanted as unknown[]).includes(value);
    default:
      return ordered(op, value, wanted);
  }
}

/** For a list, at least one item must match; for `ne`, no item may be equal. */
function holdsForList(op: GateCondition['op'], items: unknown[], wanted: GateCondition['value']): boolean {
  if (op === 'ne') return !items.includes(wanted);
  return items.some((item) => !Array.isArray(item) && holds({ field: '', op, value: wanted }, item));
}

function ordered(op: 'gt' | 'gte' | 'lt' | 'lte', value: unknown, wanted: unknown): boolean {
  const both =
    typeof value === 'number' && typeof wanted === 'number'
      ? value - wanted
      : typeof value === 'string' && typeof wanted === 'string'
        ? order(value, wanted)
        : NaN;
  return { gt: both > 0, gte: both >= 0, lt: both < 0, lte: both <= 0 }[op];
}

/** Dates and timestamps in our format sort as text; other timestamps are converted to it. */
function order(a: string, b: string): number {
  const [left, right] = [comparable(a), comparable(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function comparable(text: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : text;
}

/** Whether a condition on the field has a value to test. */
export function isKnown(facts: Facts, path: string): boolean {
  return Object.hasOwn(facts, path.split('.')[0]!);
}

/** The value at a path; null if there is none. */
export function valueAt(facts: Facts, path: string): unknown {
  let value: unknown = facts;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Facts)[key];
  }
  return value ?? null;
}
