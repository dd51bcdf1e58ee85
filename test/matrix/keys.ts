import type pg from 'pg';
import { generateKey } from '#libs/auth/api-key.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** A credential created directly in the directory, with text and id. */
export interface TestKey {
  id: string;
  text: string;
}

/** Properties of a key that differ from the defaults. */
export interface KeyTerms {
  scopes?: readonly string[];
  kind?: 'api_key' | 'scim_token';
  /** Whether it allows protected operations; defaults to true. */
  allowProtected?: boolean;
  cidrs?: readonly string[];
  expiresAt?: Date;
  revokedAt?: Date;
}

export async function makeKey(admin: pg.Pool, tenantId: string, terms: KeyTerms = {}): Promise<TestKey> {
  const {
    scopes = ['*'],
    kind = 'api_key',
    cidrs = [],
    expiresAt = null,
    revokedAt = null,
    allowProtected = true,
  } = terms;
  const { text, keyId, hash } = generateKey(kind);
  const id = uuidv7();
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, expires_at, revoked_at)
     values ($1, $2, $3, $4, $1, 'test key', $5, $6, $10, $7, now(), $8, $9)`,
    [id, tenantId, kind, keyId, hash, scopes, cidrs, expiresAt, revokedAt, allowProtected],
  );
  if (kind === 'scim_token')
    await admin.query(
      `insert into data.scim_configs (tenant_id, id, name, status, token_last4, created_at, created_by, updated_at)
       values ($1, $2, 'test provider', 'active', $3, now(), '{"type": "system", "id": null, "name": "test"}', now())`,
      [tenantId, id, text.slice(-4)],
    );
  return { id, text };
}

/** Revokes rights; committed when the promise resolves. */
export async function changeKey(
  admin: pg.Pool,
  { id }: TestKey,
  change: { scopes?: readonly string[]; cidrs?: readonly string[]; revokedAt?: Date },
): Promise<void> {
  await admin.query(
    `update directory.credentials set scopes = coalesce($2, scopes), allowed_cidrs = coalesce($3, allowed_cidrs),
       revoked_at = coalesce($4, revoked_at) where id = $1`,
    [id, change.scopes ?? null, change.cidrs ?? null, change.revokedAt ?? null],
  );
}

/** Inserts a grant of a member to a new partner, as the consent page creates it; returns its id. */
export async function makeGrant(
  admin: pg.Pool,
  tenantId: string,
  { membershipId, name, scopes }: { membershipId: string; name: string; scopes: readonly string[] },
): Promise<string> {
  const [id, clientId] = [uuidv7(), uuidv7()];
  await admin.query(
    `insert into directory.oauth_clients (id, name, redirect_uris, allowed_scopes, created_at)
     values ($1, $2, '{https://partner.example/callback}', $3, now())`,
    [clientId, name, scopes],
  );
  await admin.query(
    `insert into directory.oauth_grants (id, tenant_id, client_id, methods) values ($1, $2, $3, '{}')`,
    [id, tenantId, clientId],
  );
  await admin.query(
    `insert into directory.oauth_tokens (id, grant_id, kind, token_hash, expires_at)
     values ($1::uuid, $1::uuid, 'refresh', sha256($2::text::bytea), now() + interval '1 day')`,
    [id, id],
  );
  await admin.query(
    `insert into data.oauth_grants (tenant_id, id, client_id, client_name, membership_id, scopes, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, now(), now())`,
    [tenantId, id, clientId, name, membershipId, scopes],
  );
  return id;
}

/** Inserts an access token of a grant, like an exchange; returns its secret. */
export async function makeAccessToken(
  admin: pg.Pool,
  tenantId: string,
  grantId: string,
  expiresAt: Date,
): Promise<string> {
  const { text, keyId, hash } = generateKey('oauth_token');
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, expires_at, member_id)
     select $1, tenant_id, 'oauth_token', $3, id, 'test', $4, scopes, false, '{}', now(), $5, membership_id
     from data.oauth_grants where tenant_id = $2 and id = $6`,
    [uuidv7(), tenantId, keyId, hash, expiresAt, grantId],
  );
  return text;
}

/** Inserts a session of a member into the directory, as signing in would; by default with a fresh second factor. */
export async function makeSession(
  admin: pg.Pool,
  tenantId: string,
  { memberId, hasFactor = true }: { memberId: string; hasFactor?: boolean },
): Promise<TestKey> {
  const [id, userId] = [uuidv7(), uuidv7()];
  const { text, keyId, hash } = generateKey('session');
  await admin.query(
    `insert into directory.users (id, issuer, subject, created_at, last_sign_in_at)
     values ($1, 'https://id.example.com', $2, now(), now())`,
    [userId, userId],
  );
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, expires_at, member_id)
     values ($1, $2, 'session', $3, $1, 'test session', $4, '{*}', false, '{}', now(), now() + interval '1 hour', $5)`,
    [id, tenantId, keyId, hash, memberId],
  );
  await admin.query(
    `insert into directory.sessions (credential_id, tenant_id, member_id, user_id, methods, multi_factor_at, idle_seconds,
       expires_at, created_at)
     values ($1, $2, $3, $4, '{}', case when $5 then now() end, 3600, now() + interval '1 hour', now())`,
    [id, tenantId, memberId, userId, hasFactor],
  );
  return { id, text };
}
