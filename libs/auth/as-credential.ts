import { Problem } from '#libs/kernel/problem.js';
import { currentScope, runInScope, Scope, type Warrant } from '#libs/tenancy/scope.js';
import type { Credentials } from './credentials.js';
import { adopt } from './current-principal.js';

/**
 * Runs work in the tenant in scope, inside the open transaction if there is one, on behalf of a credential with its
 * present rights. Writes name the holder as actor; the audit log also records the grounds and who decided.
 * @param keyId of the credential in the directory.
 * @throws Problem 401 when the credential is no longer valid.
 */
export async function asCredential<T>(
  credentials: Credentials,
  { keyId, warrant }: { keyId: string; warrant: Warrant },
  work: () => Promise<T>,
): Promise<T> {
  const principal = await credentials.standing(keyId);
  if (!principal) throw new Problem('unauthenticated', 'The credential of the requester is no longer valid.');
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  adopt(scope, principal);
  scope.tenant = outer.tenant;
  scope.transaction = outer.transaction;
  scope.stampedAt = outer.stampedAt;
  scope.confirmed = outer.confirmed;
  scope.operation = outer.operation;
  scope.warrant = warrant;
  return runInScope(scope, work);
}
