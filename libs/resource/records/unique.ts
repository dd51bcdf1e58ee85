import { brokenUnique } from '#libs/database/failures.js';
import { Problem } from '#libs/kernel/problem.js';
import type { ResourceRepository } from '../lists/resource.repository.js';

/** The 409 for a duplicate value; any other error unchanged. */
export function translateUnique(
  error: unknown,
  rows: Pick<ResourceRepository<never>, 'uniqueField'>,
  noun: string,
): unknown {
  const unique = brokenUnique(error);
  const field = unique && (unique === 'external_refs_key' ? 'externalRefs' : rows.uniqueField(unique));
  if (!field) return error;
  return new Problem('duplicate', `Another ${noun} has the same ${field}.`, { extensions: { field } });
}
