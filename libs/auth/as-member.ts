import { currentScope, currentTenant, runInScope, Scope } from '#libs/tenancy/scope.js';
import type { Authorities } from './authority.js';
import type { Credentials } from './credentials.js';
import { adopt } from './current-principal.js';
import { PermissionSet } from './permissions.js';
import type { Principal } from './principal.js';
import { MemberRights } from './rights.js';

const EVERYTHING = new PermissionSet(['*']);

/** Who has asked for something that is done later, and with which credential. */
export interface Orderer {
  memberId: string;
  /** Lineage of the member's key; null if they asked in a session, which has all their rights. */
  keyId: string | null;
}

/** The orderer that the caller is. */
export function ordererOf({ kind, membershipId, lineageId }: Principal): Orderer {
  return { memberId: membershipId!, keyId: kind === 'api_key' ? lineageId : null };
}

/**
 * Runs work in the tenant in scope, inside the open transaction if there is one, with the present rights of a member.
 * Only for what concerns the member alone, such as their mail; what a credential has ordered has its rights, see
 * {@link asOrderer}. The work must only read. Null without running it if the membership is not active.
 */
export async function asMember<T>(
  authorities: Authorities,
  membershipId: string,
  work: () => Promise<T>,
): Promise<T | null> {
  const { status, grants, authority, rules } = await authorities.read(membershipId, []);
  if (status !== 'active') return null;
  return reading(
    {
      credentialId: membershipId,
      keyId: 'member',
      kind: 'session',
      lineageId: membershipId,
      name: 'member',
      membershipId,
      makerId: null,
      scopes: EVERYTHING.scopes,
      networks: [],
      permissions: new MemberRights(EVERYTHING, grants),
      authority,
      allowProtected: false,
      multiFactorAt: null,
      signIn: null,
      delegation: null,
      switchedOff: rules.switchedOff,
      tenant: currentTenant(),
      limits: { read: 0, write: 0 },
      ownLimits: { read: null, write: null },
    },
    work,
  );
}

/**
 * As {@link asMember}, with the present rights of the credential of an orderer: the key may have been narrowed or
 * rotated. Null without running the work if the key or the membership has ended.
 */
export async function asOrderer<T>(
  { authorities, credentials }: { authorities: Authorities; credentials: Credentials },
  { memberId, keyId }: Orderer,
  work: () => Promise<T>,
): Promise<T | null> {
  if (keyId === null) return asMember(authorities, memberId, work);
  const principal = await credentials.standingOfKey(keyId);
  return principal && reading(principal, work);
}

function reading<T>(principal: Principal, work: () => Promise<T>): Promise<T> {
  const outer = currentScope();
  const scope = new Scope(outer.requestId);
  adopt(scope, principal);
  scope.tenant = outer.tenant;
  scope.transaction = outer.transaction;
  scope.stampedAt = outer.stampedAt;
  scope.confirmed = outer.confirmed;
  scope.operation = outer.operation;
  return runInScope(scope, work);
}
