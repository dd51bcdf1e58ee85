import { Problem } from '#libs/kernel/problem.js';
import type { Records } from '#libs/resource/records/records.js';
import { currentScope } from '#libs/tenancy/scope.js';
import type { CandidateAction } from './candidate.lifecycle.js';
import { ofMergedEmail, withEmail } from './candidate.queries.js';
import type { Candidate, ShownCandidate } from './candidate.js';

/**
 * Identifies the existing candidate with the e-mail address in the error, if visible to the caller. The
 * address of a merged candidate belongs to the surviving one.
 */
export async function namingExisting<T>(
  records: Records<Candidate, ShownCandidate, CandidateAction>,
  { email, id }: { email: unknown; id: string | null },
  run: () => Promise<T>,
): Promise<T> {
  if (typeof email !== 'string') return run();
  const { database } = records.kit;
  const [merged] = await database.read<{ id: string }>(ofMergedEmail(email));
  if (merged && merged.id !== id) throw emailTaken((await records.find(merged.id)) && merged.id);
  try {
    return await run();
  } catch (error) {
    const isTaken =
      error instanceof Problem && error.code === 'duplicate' && error.more.extensions?.['field'] === 'email';
    if (!isTaken || currentScope().transaction) throw error;
    const [existing] = await database.read<{ id: string }>(withEmail(email));
    if (!existing || !(await records.find(existing.id))) throw error;
    throw emailTaken(existing.id);
  }
}

function emailTaken(existingId: string | null): Problem {
  const named = existingId === null ? {} : { existingId };
  return new Problem('duplicate', 'Another candidate has the same email.', {
    extensions: { field: 'email', ...named },
  });
}
