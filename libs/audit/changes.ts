import { isDeepStrictEqual } from 'node:util';
import type { Changes } from './audit-entry.js';

/** Fields that every write changes, such as the version. */
const BOOKKEEPING = new Set(['version', 'updatedAt', 'updatedBy', 'allowedActions']);

/**
 * The fields that differ between two states of a record, except those that every write changes. Missing fields count
 * as null.
 */
export function changesBetween(before: object, after: object): Changes {
  const old = before as Record<string, unknown>;
  const changes: Changes = {};
  for (const [field, to] of Object.entries(after as Record<string, unknown>)) {
    const from = old[field] ?? null;
    if (from !== to && !BOOKKEEPING.has(field) && !isDeepStrictEqual(from, to)) changes[field] = { from, to };
  }
  return changes;
}
