import { currentScope, currentTenant, runInScope, Scope } from '#libs/tenancy/scope.js';
import type { Authorities } from './authority.js';
import { adopt } from './current-principal.js';
import { PermissionSet } from './permissions.js';
import { MemberRights } from './rights.js';

const EVERYTHING = new PermissionSet(['*']);

/**
 * Runs work in the tenant in scope, inside the open transaction if there is one, with the present rights of a member.
 * The work must only read. Null without running it if the membership is not active.
 */
export async function asMember<T>(
  authorities: Authorities,
  membershipId: string,
  work: () => Promise<T>,
): Promise<T | null> {
  const { status, grants, authority, rules } = await authorities.read(membershipId, []);
  if (status !== 'active') return null;
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  adopt(scope, {
    credentialId: membershipId,
    keyId: 'member',
    kind: 'session',
    lineageId: membershipId,
    name: 'member',
    membershipId,
    scopes: EVERYTHING.scopes,
    permissions: new MemberRights(EVERYTHING, grants),
    authority,
    allowProtected: false,
    multiFactorAt: null,
    signIn: null,
    delegation: null,
    switchedOff: rules.switchedOff,
    tenant: currentTenant(),
    limits: { read: 0, write: 0 },
  });
  scope.transaction = outer.transaction;
  scope.stampedAt = outer.stampedAt;
  scope.confirmed = outer.confirmed;
  scope.operation = outer.operation;
  return runInScope(scope, work);
}
