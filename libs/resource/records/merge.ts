import type { Transaction } from '#libs/database/transaction.js';

/** A record that is merged into another one of its type. */
export interface Merge {
  object: string;
  from: string;
  into: string;
}

/** Lets what names a merged record name the one that remains. */
export type MergeFollower = (transaction: Transaction, merge: Merge) => Promise<void>;

/** A stored value, such as a filter, in which the remaining record stands in place of the merged one, once per list. */
export function withSurvivor<T>(value: T, merge: Pick<Merge, 'from' | 'into'>): T {
  return renamed(value, merge) as T;
}

function renamed(value: unknown, merge: Pick<Merge, 'from' | 'into'>): unknown {
  const { from, into } = merge;
  if (!JSON.stringify(value)?.includes(from)) return value;
  if (typeof value === 'string')
    return onceEach(value.split(',').map((each) => (each.trim() === from ? into : each))).join(',');
  if (Array.isArray(value)) return onceEach(value.map((each: unknown) => renamed(each, merge)));
  return Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, renamed(each, merge)]));
}

function onceEach<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
