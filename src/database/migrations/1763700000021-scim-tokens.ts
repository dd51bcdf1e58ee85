import type { QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** What the API may do with the SCIM tokens of its tenant, and with no other credential. */
export async function scimTokens(runner: QueryRunner): Promise<void> {
  const own = `tenant_id = current_setting('app.tenant_id')::uuid and kind = 'scim_token'`;
  await runner.query(
    `grant insert, update (expires_at, revoked_at) on directory.credentials to ${migrationRoles().lookup}`,
  );
  await runner.query(`
    create function directory.add_scim_token(token uuid, config uuid, key text, label text, hash bytea,
        made_at timestamptz, ends_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at)
        values (token, current_setting('app.tenant_id')::uuid, 'scim_token', key, config, label, hash, '{}', false, '{}',
          made_at, ends_at) $$`);
  await runner.query(`
    create function directory.end_scim_tokens(config uuid, ends_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials set expires_at = ends_at
        where ${own} and lineage_id = config and revoked_at is null and (expires_at is null or expires_at > ends_at) $$`);
  await runner.query(`
    create function directory.renew_scim_token(config uuid, at timestamptz, ends_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials set expires_at = ends_at
        where ${own} and revoked_at is null and (expires_at is null or expires_at > at)
          and id = (select n.id from directory.credentials n where n.tenant_id = credentials.tenant_id
            and n.lineage_id = config order by n.created_at desc, n.id desc limit 1) $$`);
  await runner.query(`
    create function directory.revoke_scim_tokens(config uuid, at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials set revoked_at = at where ${own} and lineage_id = config and revoked_at is null $$`);
  await runner.query(`
    create function directory.scim_tokens() returns table (config_id uuid, key_id text, expires_at timestamptz,
        last_used_at timestamptz)
      language sql stable security definer set search_path = pg_catalog as $$
      select distinct on (c.lineage_id) c.lineage_id, c.key_id, c.expires_at,
        max(u.last_used_at) over (partition by c.lineage_id)
      from directory.credentials c left join directory.credential_uses u on u.credential_id = c.id
      where c.${own} order by c.lineage_id, c.created_at desc, c.id desc $$`);
  for (const signature of [
    'add_scim_token(uuid, uuid, text, text, bytea, timestamptz, timestamptz)',
    'end_scim_tokens(uuid, timestamptz)',
    'renew_scim_token(uuid, timestamptz, timestamptz)',
    'revoke_scim_tokens(uuid, timestamptz)',
    'scim_tokens()',
  ])
    await definerFunction(runner, `directory.${signature}`);
}
