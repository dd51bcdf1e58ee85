import type { AuditFact, Changes } from '#libs/audit/audit-entry.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { type CredentialKind, generateKey } from './api-key.js';

/** What a credential is made with. */
export interface CredentialTerms {
  kind: CredentialKind;
  /** 1 to 200 characters; what people recognise it by. */
  name: string;
  /** Permissions and wildcards; empty for a SCIM token, whose kind says what it opens. */
  scopes: readonly string[];
  /** Whether protected operations are open to it (docs/reference/permissions.md). */
  allowProtected: boolean;
  /** Networks it may be used from; empty for any. */
  allowedCidrs: readonly string[];
  /** Null for never. */
  expiresAt: string | null;
  /** Membership that it acts for; null for a service key. */
  memberId: string | null;
}

/** A credential just made. `text` exists nowhere else: the directory keeps its hash. */
export interface IssuedCredential {
  id: string;
  text: string;
}

const INSERT = `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
    allow_protected, allowed_cidrs, created_at, expires_at, member_id)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`;

/**
 * A new credential, the statement that stores it, and what the audit log says about it (never the secret).
 * @param lineageId of the credential that it takes the place of; null for one that starts a lineage of its own.
 */
export function newCredential(
  tenantId: string,
  terms: CredentialTerms,
  createdAt: string,
  lineageId: string | null = null,
): { issued: IssuedCredential; insert: Statement; changes: Changes } {
  const id = uuidv7();
  const { text, keyId, hash } = generateKey(terms.kind);
  const { name, scopes, allowProtected, allowedCidrs, expiresAt, memberId } = terms;
  const insert = statement(INSERT, [
    id,
    tenantId,
    terms.kind,
    keyId,
    lineageId ?? id,
    name,
    hash,
    [...scopes],
    allowProtected,
    [...allowedCidrs],
    createdAt,
    expiresAt,
    memberId,
  ]);
  const told = { name, keyId, scopes, allowProtected, allowedCidrs, expiresAt, memberId };
  const changes = Object.fromEntries(Object.entries(told).map(([field, to]) => [field, { from: null, to }]));
  return { issued: { id, text }, insert, changes };
}

/** Types of credentials in the audit log. */
const TARGETS = { api_key: 'settings.api_key', scim_token: 'scim.token', session: 'auth.session' } as const;

/** What the audit log says when a credential was made, rotated or revoked. */
export function credentialFact(
  verb: 'created' | 'rotated' | 'revoked',
  kind: CredentialKind,
  { id, name }: { id: string; name: string },
  changes: Changes,
): AuditFact {
  const type = TARGETS[kind];
  return { action: `${type}.${verb}`, target: { type, id, name }, outcome: 'success', riskLevel: 'medium', changes };
}
