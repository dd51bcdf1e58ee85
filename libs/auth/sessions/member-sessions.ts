import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { CredentialKind } from '../api-key.js';

const REVOKE = `select id, kind, name from directory.revoke_credentials($1, $2, $3)`;
const ACCESS = `select member_id as "memberId", active_sessions as "activeSessions", api_keys as "apiKeyCount", methods,
  multi_factor_at as "multiFactorAt" from directory.member_access($1, $2)`;

const KEY_CHANGED = `update data.api_keys set version = version + 1, updated_at = $3
  where tenant_id = $1 and id = directory.api_key_lineage($2)`;

/** A credential that has just been revoked. */
export interface RevokedCredential {
  id: string;
  kind: CredentialKind;
  name: string;
}

/** The credentials of a member of the tenant in scope. */
export interface MemberCredentials {
  memberId: string;
  activeSessions: number;
  apiKeyCount: number;
  /** Methods of the last sign-in, as named by the identity provider (`amr`). */
  methods: string[];
  /** When that sign-in used a second factor; null if it did not. */
  multiFactorAt: string | null;
}

/** Revokes the credentials of these kinds that act for a member. Their next request is rejected. */
export function revokeCredentials(
  transaction: Transaction,
  memberId: string,
  kinds: readonly CredentialKind[],
  at: string,
): Promise<RevokedCredential[]> {
  return transaction.query<RevokedCredential>(statement(REVOKE, [memberId, kinds, at]));
}

/** The statement that reads {@link MemberCredentials} of each of the members. */
export function memberCredentials(memberIds: readonly string[], at: string): Statement {
  return statement(ACCESS, [memberIds, at]);
}

/** The statement that increments the version of the API key that a changed credential belongs to. */
export function keyChanged(credentialId: string, at: string): Statement {
  return statement(KEY_CHANGED, [currentTenant().id, credentialId, at]);
}
