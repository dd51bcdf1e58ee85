import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** API keys as tenants manage them. What lets a key in stays in the directory; here stands what is not needed for that. */
export class ApiKeys1763700000058 implements MigrationInterface {
  name = 'ApiKeys1763700000058';

  async up(runner: QueryRunner): Promise<void> {
    await keys(runner);
    await keyFunctions(runner);
    await addressesOfUses(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function keys(runner: QueryRunner): Promise<void> {
  // The id is the lineage of the credentials, which a key keeps when it is rotated. No workspaces: it is not confined.
  await runner.query(`
    create table data.api_keys (
      tenant_id uuid not null,
      id uuid not null,
      workspace_ids uuid[] not null default '{}',
      last4 text check (length(last4) = 4),
      created_by jsonb not null,
      notified_at timestamptz(3),
      deleted_at timestamptz(3),
      version integer not null default 1 check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id)
    )`);
  await runner.query(`
    insert into data.api_keys (tenant_id, id, created_by, created_at, updated_at)
    select tenant_id, lineage_id, '{"type": "system", "id": null, "name": "platform"}', min(created_at), max(created_at)
    from directory.credentials where kind = 'api_key' group by tenant_id, lineage_id`);
  await tenantTable(runner, 'data.api_keys', { grant: 'select, insert, update' });
  // What a key is confined to is remembered with it.
  await runner.query(`
    create trigger epoch_update after update on data.api_keys referencing new table as changed
      for each statement execute function data.raise_epochs()`);
}

/** What the API may do with the API keys of its tenant, and with no other credential. */
async function keyFunctions(runner: QueryRunner): Promise<void> {
  const own = `tenant_id = current_setting('app.tenant_id')::uuid and kind = 'api_key'`;
  await runner.query(
    `grant update (name, scopes, allow_protected, allowed_cidrs) on directory.credentials to ${migrationRoles().lookup}`,
  );
  await runner.query(`
    create function directory.add_api_key(credential uuid, key text, lineage uuid, label text, hash bytea,
        permitted text[], protected boolean, networks text[], made_at timestamptz, ends_at timestamptz, member uuid)
      returns void language sql security definer set search_path = pg_catalog as $$
      insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
          allow_protected, allowed_cidrs, created_at, expires_at, member_id)
        values (credential, current_setting('app.tenant_id')::uuid, 'api_key', key, lineage, label, hash, permitted,
          protected, networks, made_at, ends_at, member) $$`);
  // The secret before, where it is still good, is never better than the newest.
  await runner.query(`
    create function directory.change_api_key(lineage uuid, label text, permitted text[], protected boolean,
        networks text[], ends_at timestamptz, at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials c set name = label, scopes = permitted, allow_protected = protected,
          allowed_cidrs = networks, expires_at = case when exists (
            select from directory.credentials n where n.tenant_id = c.tenant_id and n.lineage_id = lineage
              and (n.created_at, n.id) > (c.created_at, c.id)) then least(c.expires_at, ends_at) else ends_at end
        where c.${own} and c.lineage_id = lineage and c.revoked_at is null
          and (c.expires_at is null or c.expires_at > at) $$`);
  await runner.query(`
    create function directory.end_api_key(lineage uuid, ends_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials set expires_at = ends_at where ${own} and lineage_id = lineage
        and revoked_at is null and (expires_at is null or expires_at > ends_at) $$`);
  await runner.query(`
    create function directory.revoke_api_key(lineage uuid, at timestamptz) returns void
      language sql security definer set search_path = pg_catalog as $$
      update directory.credentials set revoked_at = at
        where ${own} and lineage_id = lineage and revoked_at is null $$`);
  await runner.query(`
    create function directory.key_credentials(keys uuid[]) returns setof uuid
      language sql stable security definer set search_path = pg_catalog as $$
      select c.id from directory.credentials c where c.${own} and c.lineage_id = any(keys) $$`);
  await definers(runner, [
    'key_credentials(uuid[])',
    'add_api_key(uuid, text, uuid, text, bytea, text[], boolean, text[], timestamptz, timestamptz, uuid)',
    'change_api_key(uuid, text, text[], boolean, text[], timestamptz, timestamptz)',
    'end_api_key(uuid, timestamptz)',
    'revoke_api_key(uuid, timestamptz)',
  ]);
}

/** The last use of a credential comes with the address that it came from. */
async function addressesOfUses(runner: QueryRunner): Promise<void> {
  const { lookup, owner } = migrationRoles();
  await runner.query(`alter table directory.credential_uses add column last_used_ip text`);
  await runner.query(`set local role ${lookup}`);
  await runner.query(`drop function directory.record_uses(uuid[], timestamptz[])`);
  await runner.query(`set local role ${owner}`);
  await runner.query(`
    create function directory.record_uses(ids uuid[], used_at timestamptz[], addresses text[]) returns void
      language sql security definer set search_path = pg_catalog as $$
      insert into directory.credential_uses (credential_id, last_used_at, last_used_ip)
        select u.id, u.at, u.ip from unnest(ids, used_at, addresses) as u (id, at, ip) order by u.id
      on conflict (credential_id) do update
        set last_used_at = excluded.last_used_at, last_used_ip = excluded.last_used_ip
        where credential_uses.last_used_at <= excluded.last_used_at $$`);
  await runner.query(`
    create function directory.api_keys(wanted uuid) returns table (id uuid, key_id text, name text, scopes text[],
        allow_protected boolean, allowed_cidrs text[], member_id uuid, issued_at timestamptz, expires_at timestamptz,
        revoked_at timestamptz, previous_expires_at timestamptz, last_used_at timestamptz, last_used_ip text)
      language sql stable security definer set search_path = pg_catalog as $$
      select distinct on (c.lineage_id) c.lineage_id, c.key_id, c.name, c.scopes, c.allow_protected, c.allowed_cidrs,
        c.member_id, c.created_at, c.expires_at, c.revoked_at,
        (select max(p.expires_at) from directory.credentials p where p.tenant_id = c.tenant_id
          and p.lineage_id = c.lineage_id and p.id <> c.id and p.revoked_at is null),
        l.last_used_at, l.last_used_ip
      from directory.credentials c left join lateral (
        select u.last_used_at, u.last_used_ip from directory.credentials s
          join directory.credential_uses u on u.credential_id = s.id
        where s.tenant_id = c.tenant_id and s.lineage_id = c.lineage_id order by u.last_used_at desc limit 1) l on true
      where c.tenant_id = current_setting('app.tenant_id')::uuid and c.kind = 'api_key'
        and (wanted is null or c.lineage_id = wanted)
      order by c.lineage_id, c.created_at desc, c.id desc $$`);
  await definers(runner, ['record_uses(uuid[], timestamptz[], text[])', 'api_keys(uuid)']);
  await runner.query(`create index credentials_lineage_idx on directory.credentials (tenant_id, lineage_id)`);
}

async function definers(runner: QueryRunner, signatures: readonly string[]): Promise<void> {
  for (const signature of signatures) await definerFunction(runner, `directory.${signature}`);
}
