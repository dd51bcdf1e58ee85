import type { AuditFact, Changes } from '#libs/audit/audit-entry.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Actor } from '#libs/tenancy/scope.js';
import { type CredentialKind, generateKey } from './api-key.js';
import { OPERATOR } from './principal.js';

/** Properties of a new credential. */
export interface CredentialTerms {
  kind: CredentialKind;
  /** Display name, 1 to 200 characters. */
  name: string;
  /** Permissions and wildcards; empty for a SCIM token, which is limited by its kind. */
  scopes: readonly string[];
  /** Whether it may carry out protected operations (docs/reference/permissions.md). */
  allowProtected: boolean;
  /** Networks it may be used from; empty for any. */
  allowedCidrs: readonly string[];
  /** Null for never. */
  expiresAt: string | null;
  /** Membership that it acts for; null for a service key. */
  memberId: string | null;
}

/** A new credential. `text` is not stored anywhere; the directory keeps its hash. */
export interface IssuedCredential {
  id: string;
  text: string;
}

/** Where a secret comes from. */
export interface Origin {
  /** Id of the key; null for a new key, whose id becomes that of its first secret. */
  lineageId: string | null;
  /** The person who receives the secret. */
  makerId: string | null;
}

const COLUMNS = `id, key_id, lineage_id, name, secret_hash, scopes, allow_protected, allowed_cidrs, created_at, expires_at,
  member_id, maker_id`;
const INSERT = `insert into directory.credentials (${COLUMNS}, tenant_id, kind)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
const INSERT_OWN = `select directory.add_api_key($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`;
const INSERT_KEY = `insert into data.api_keys (tenant_id, id, last4, created_by, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $5)`;

/**
 * Generates a credential that starts a lineage, the statements that store it, and the changes for the audit log (never
 * the secret). Needs the \`system\` role.
 */
export function newCredential(
  tenantId: string,
  terms: CredentialTerms,
  { at, by }: { at: string; by: Actor },
): { issued: IssuedCredential; statements: Statement[]; changes: Changes } {
  const { issued, insert, changes } = nextCredential(tenantId, terms, at, { lineageId: null, makerId: OPERATOR });
  const { id, text } = issued;
  const key = statement(INSERT_KEY, [tenantId, id, text.slice(-4), JSON.stringify(by), at]);
  return { issued, statements: terms.kind === 'api_key' ? [insert, key] : [insert], changes };
}

/** As {@link newCredential}, for a credential that replaces an earlier one of the lineage. */
export function nextCredential(tenantId: string, terms: CredentialTerms, at: string, origin: Origin) {
  const { issued, values, keyId } = generated(terms, at, origin);
  const { name, scopes, allowProtected, allowedCidrs, expiresAt, memberId } = terms;
  const insert = statement(INSERT, [...values, tenantId, terms.kind]);
  const told = { name, keyId, scopes, allowProtected, allowedCidrs, expiresAt, memberId };
  const changes: Changes = Object.fromEntries(Object.entries(told).map(([field, to]) => [field, { from: null, to }]));
  return { issued, insert, changes };
}

/**
 * Generates a secret for an API key of the tenant in scope, with the statement that stores it in the directory.
 */
export function newSecret(terms: Omit<CredentialTerms, 'kind'>, at: string, origin: Origin) {
  const { issued, values, keyId } = generated({ ...terms, kind: 'api_key' }, at, origin);
  return { issued, keyId, insert: statement(INSERT_OWN, values) };
}

function generated(terms: CredentialTerms, at: string, { lineageId, makerId }: Origin) {
  const id = uuidv7();
  const { text, keyId, hash } = generateKey(terms.kind);
  const { name, scopes, allowProtected, allowedCidrs, expiresAt, memberId } = terms;
  const rights = [[...scopes], allowProtected, [...allowedCidrs]];
  const values = [id, keyId, lineageId ?? id, name, hash, ...rights, at, expiresAt, memberId, makerId];
  return { issued: { id, text }, keyId, values };
}

/** Default and maximum hours for which the old secret stays valid after a rotation. */
export const OVERLAP_HOURS = { usual: 24, longest: 168 };

/**
 * Expiry times on rotation: the old key expires at the end of the overlap at the latest; the new key gets the lifetime
 * of the old one.
 */
export function rotationTimes(
  old: { issuedAt: string; expiresAt: string | null },
  at: string,
  overlapMs: number,
): { expiresAt: string | null; previousExpiresAt: string } {
  const { issuedAt, expiresAt } = old;
  const overlapEnd = new Date(Date.parse(at) + overlapMs).toISOString();
  return {
    previousExpiresAt: expiresAt !== null && expiresAt < overlapEnd ? expiresAt : overlapEnd,
    expiresAt: expiresAt && new Date(Date.parse(at) + Date.parse(expiresAt) - Date.parse(issuedAt)).toISOString(),
  };
}

/** Types of credentials in the audit log. */
const TARGETS = {
  api_key: 'settings.api_key',
  oauth_token: 'auth.oauth_token',
  scim_token: 'scim.token',
  session: 'auth.session',
} as const;

/** The audit entry for a credential that was created, rotated or revoked. */
export function credentialFact(
  verb: 'created' | 'rotated' | 'revoked',
  kind: CredentialKind,
  { id, name }: { id: string; name: string },
  changes: Changes,
): AuditFact {
  const type = TARGETS[kind];
  return { action: `${type}.${verb}`, target: { type, id, name }, outcome: 'success', riskLevel: 'medium', changes };
}
