import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './audit-entry.js';

/** Fields that every write changes and that say nothing about it. */
const BOOKKEEPING = new Set(['version', 'updatedAt', 'updatedBy', 'allowedActions']);

/** The fields that differ between two forms of one record, without those that every write changes. */
export function changesBetween(before: object, after: object): Changes {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after as Record<string, unknown>)
      .filter(([field, value]) => !BOOKKEEPING.has(field) && !isDeepStrictEqual(old[field], value))
      .map(([field, value]) => [field, { from: old[field] ?? null, to: value }]),
  );
}
