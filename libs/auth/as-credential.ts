import { Problem } from '#libs/kernel/problem.js';
import { currentScope, runInScope, Scope, type Warrant } from '#libs/tenancy/scope.js';
import type { Credentials } from './credentials.js';
import { adopt } from './current-principal.js';

/**
 * Does something in the tenant in scope, inside the open transaction if there is one, as who holds a credential and with
 * the rights that it has now. What it writes names them, and in the audit log the grounds and who decided.
 * @param keyId of the credential in the directory.
 * @throws Problem 401 when the credential is not good any more.
 */
export async function asCredential<T>(
  credentials: Credentials,
  { keyId, warrant }: { keyId: string; warrant: Warrant },
  work: () => Promise<T>,
): Promise<T> {
  const principal = await credentials.standing(keyId);
  if (!principal) throw new Problem('unauthenticated', 'The credential of who asked for this is not valid any more.');
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
