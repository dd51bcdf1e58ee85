import { etagOf, namesTag } from '#libs/http/answer-headers.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope } from '#libs/tenancy/scope.js';

/**
 * Compares the version of a record with the request's `If-Match`.
 * @throws Problem 412 `version_mismatch` if the caller has another version.
 */
export function checkPrecondition(version: number): void {
  const { ifMatch } = currentScope();
  if (ifMatch === null || namesTag(ifMatch, etagOf(version), false)) return;
  throw new Problem('version_mismatch', 'The record has another version than If-Match names; read it again.', {
    extensions: { version },
  });
}
