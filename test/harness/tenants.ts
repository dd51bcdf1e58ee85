import type pg from 'pg';
import { generateKey } from '#libs/auth/api-key.js';
import { SYSTEM_ROLE_IDS, type SystemRole } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';

/** Creates a tenant directly in the tables within milliseconds; the regular way is tested with the CLI. */
export async function createTenant(
  admin: pg.Pool,
  options: { slug: string; plan: string; reads: number; writes: number; scopes: string[] },
): Promise<{ id: string; apiKey: string }> {
  const id = uuidv7();
  const credentialId = uuidv7();
  const { text, keyId, hash } = generateKey('api_key');
  await admin.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, $2, $2, $3, $4, $5, now())`,
    [id, options.slug, options.plan, options.reads, options.writes],
  );
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at)
     values ($1, $2, 'api_key', $3, $1, 'test', $4, $5, true, '{}', now())`,
    [credentialId, id, keyId, hash, options.scopes],
  );
  await admin.query(
    `insert into data.workspaces (tenant_id, id, name, key, is_default, created_at)
     values ($1, $2, 'General', 'GENERAL', true, now())`,
    [id, uuidv7()],
  );
  return { id, apiKey: text };
}

/** Connects an identity provider to a tenant directly in the tables; returns its token. */
export async function createProvider(admin: pg.Pool, tenantId: string): Promise<string> {
  const id = uuidv7();
  const { text, keyId, hash } = generateKey('scim_token');
  await admin.query(
    `insert into data.scim_configs (tenant_id, id, name, status, default_role_ids, token_last4, created_at, created_by,
       updated_at)
     values ($1, $2, 'test provider', 'active', $3, $4, now(), '{"type": "system", "id": null, "name": "test"}', now())`,
    [tenantId, id, [SYSTEM_ROLE_IDS.member], text.slice(-4)],
  );
  await admin.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at)
     values ($1, $2, 'scim_token', $3, $1, 'test provider', $4, '{}', false, '{}', now())`,
    [id, tenantId, keyId, hash],
  );
  return text;
}

/** Roles and workspaces of a test member. */
export interface MemberPlace {
  /**
   * Keys of system roles or ids of custom ones; defaults to the owner role, so that only the scopes of the key matter.
   */
  roles?: readonly string[];
  /** Role in each workspace by id; defaults to `member` in the default workspace. */
  workspaces?: Record<string, 'lead' | 'member' | 'guest'>;
}

/** Creates an active member directly in the tables; returns the id. */
export async function createMember(
  admin: pg.Pool,
  tenantId: string,
  name: string,
  { roles = ['owner'], workspaces }: MemberPlace = {},
): Promise<string> {
  const id = uuidv7();
  await admin.query(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at)
     values ($1, $2, $3, $4, 'active', now())`,
    [tenantId, id, `${id}@example.test`, name],
  );
  await admin.query(
    `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
     select $1, $2, unnest($3::uuid[]), now()`,
    [tenantId, id, roles.map((role) => SYSTEM_ROLE_IDS[role as SystemRole] ?? role)],
  );
  const places = workspaces ? Object.entries(workspaces) : [[await defaultWorkspaceOf(admin, tenantId), 'member']];
  for (const [workspaceId, role] of places)
    await admin.query(
      `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
       values ($1, $2, $3, $4, now(), '{"type": "system", "id": null, "name": "test"}')`,
      [tenantId, workspaceId, id, role],
    );
  return id;
}

/** The default workspace, to which records without one belong. */
export async function defaultWorkspaceOf(admin: pg.Pool, tenantId: string): Promise<string> {
  const { rows } = await admin.query<{ id: string }>(
    `select id from data.workspaces where tenant_id = $1 and is_default`,
    [tenantId],
  );
  return rows[0]!.id;
}
