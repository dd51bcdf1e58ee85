import { cut } from '#libs/kernel/cut.js';
/** How a condition compares the event's value with the expected one. */
export const FILTER_OPERATORS = ['eq', 'in', 'exists', 'gt', 'gte', 'lt', 'lte', 'starts_with'] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Maximum number of conditions per filter. */
export const MAX_CONDITIONS = 20;
/** Maximum number of levels. A condition counts as a level, so a single condition has one. */
export const MAX_LEVELS = 4;

/** Maximum number of list items, and of characters of a string, in the result of {@link explainFilter}. */
const SHOWN_ITEMS = 50;
const SHOWN_CHARACTERS = 500;

type Scalar = string | number | boolean;

/** A single condition. `field` is a path in the event's `data`, such as `account.tier`. */
export interface FilterCondition {
  field: string;
  op: FilterOperator;
  value: Scalar | null | Scalar[];
}

/** Which events an endpoint gets, by their `data`. */
export type PayloadFilter =
  FilterCondition | { and: PayloadFilter[] } | { or: PayloadFilter[] } | { not: PayloadFilter };

/** A condition, the event's value at its field, and whether they matched. */
export interface ExplainedCondition extends FilterCondition {
  /** JSON pointer of the condition in the filter. */
  pointer: string;
  /** Whether the event has the field. */
  present: boolean;
  /** The value, with long strings and lists shortened and the content of objects omitted; null if absent. */
  found: unknown;
  held: boolean;
}

/**
 * Whether an event matches a filter. Inherited members are ignored.
 *
 * Never throws: an invalid or too deep part of the filter does not match.
 */
export function matchesFilter(filter: PayloadFilter, data: object): boolean {
  return nodeHolds(filter, data, 1);
}

/** Why a valid filter matched an event or not: the result of each condition. */
export function explainFilter(
  filter: PayloadFilter,
  data: object,
): { matches: boolean; conditions: ExplainedCondition[] } {
  const conditions = conditionsOf(filter, '').map(({ pointer, condition }) => {
    const { field, op, value } = condition;
    const there = valueAt(data, field);
    return {
      pointer,
      field,
      op,
      value,
      present: there !== undefined,
      found: shown(there),
      held: holds(condition, there),
    };
  });
  return { matches: matchesFilter(filter, data), conditions: conditions.slice(0, MAX_CONDITIONS) };
}

function nodeHolds(node: PayloadFilter, data: object, level: number): boolean {
  if (!isObject(node) || level > MAX_LEVELS) return false;
  const nested = (each: PayloadFilter) => nodeHolds(each, data, level + 1);
  if ('and' in node) return Array.isArray(node.and) && node.and.every(nested);
  if ('or' in node) return Array.isArray(node.or) && node.or.some(nested);
  if ('not' in node) return !nested(node.not);
  return holds(node, valueAt(data, node.field));
}

function conditionsOf(node: PayloadFilter, pointer: string): { pointer: string; condition: FilterCondition }[] {
  if ('and' in node) return node.and.flatMap((each, index) => conditionsOf(each, `${pointer}/and/${index}`));
  if ('or' in node) return node.or.flatMap((each, index) => conditionsOf(each, `${pointer}/or/${index}`));
  if ('not' in node) return conditionsOf(node.not, `${pointer}/not`);
  return [{ pointer, condition: node }];
}

/**
 * A list matches if one of its items does. An empty value, null or absent, equals null and is neither greater nor less
 * than anything.
 */
function holds({ op, value: wanted }: FilterCondition, there: unknown): boolean {
  if (op === 'exists') return ((there ?? null) !== null) === wanted;
  const values: unknown[] = Array.isArray(there) ? there : [there ?? null];
  return values.some((value) => compares(op, value, wanted));
}

function compares(op: Exclude<FilterOperator, 'exists'>, value: unknown, wanted: unknown): boolean {
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'in':
      return Array.isArray(wanted) && wanted.includes(value);
    case 'starts_with':
      return typeof value === 'string' && typeof wanted === 'string' && value.startsWith(wanted);
    case 'gt':
      return difference(value, wanted) > 0;
    case 'gte':
      return difference(value, wanted) >= 0;
    case 'lt':
      return difference(value, wanted) < 0;
    case 'lte':
      return difference(value, wanted) <= 0;
    default:
      return false;
  }
}

/** Negative if `a` is less, NaN if the two are not comparable: numbers compare with numbers, strings with strings. */
function difference(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a !== 'string' || typeof b !== 'string') return NaN;
  const [left, right] = [instantMs(a), instantMs(b)];
  if (left !== null && right !== null) return left - right;
  return a === b ? 0 : a < b ? -1 : 1;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Timestamps are compared as instants, because the same instant can be written with an offset, and with or without
 * fractions.
 */
function instantMs(text: string): number | null {
  const ms = INSTANT.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** The value at a path in an object; undefined if there is none. A path cannot go into lists. */
function valueAt(data: unknown, path: unknown): unknown {
  if (typeof path !== 'string') return undefined;
  let value = data;
  for (const key of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SHOWN_ITEMS).map((item) => (Array.isArray(item) ? [] : shown(item)));
  if (typeof value === 'string') return cut(value, SHOWN_CHARACTERS).toWellFormed();
  return isObject(value) ? {} : (value ?? null);
}

/** Whether a JSON value is an object, and neither a list nor null. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
