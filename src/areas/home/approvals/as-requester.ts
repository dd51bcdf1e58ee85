import { adopt } from '#libs/auth/current-principal.js';
import type { Credentials } from '#libs/auth/credentials.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, runInScope, Scope } from '#libs/tenancy/scope.js';
import type { Approval } from './approval.entity.js';

/**
 * Does something inside the open transaction as who asked for an approval, with the rights that their credential has now.
 * What it writes names them, and the approval as the reason.
 * @throws Problem 401 when the credential is not good any more.
 */
export async function asRequester<T>(
  { id, requester }: Approval,
  credentials: Credentials,
  work: () => Promise<T>,
): Promise<T> {
  const principal = await credentials.standing(requester.keyId);
  if (!principal)
    throw new Problem('unauthenticated', 'The credential of who asked for approval is not valid any more.');
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  adopt(scope, principal);
  scope.tenant = outer.tenant;
  scope.transaction = outer.transaction;
  scope.stampedAt = outer.stampedAt;
  scope.confirmed = outer.confirmed;
  scope.operation = outer.operation;
  scope.approvalId = id;
  return runInScope(scope, work);
}
