import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Tenants and the index of credentials. The API's role has no rights here but the three functions. */
export class Directory1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system, lookup } = migrationRoles();
    // One row: a proof of the master key that seals the data of this database. Only the migrate step sees it.
    await runner.query(`
      create table directory.installation (
        singleton boolean primary key default true check (singleton),
        key_check bytea not null
      )`);
    await runner.query(`
      create table directory.tenants (
        id uuid primary key,
        slug text not null constraint tenants_slug_key unique
          check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
        name text not null check (length(name) between 1 and 200),
        plan text not null check (plan in ('free', 'starter', 'business', 'enterprise')),
        owner_email text,
        currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
        reads_per_minute integer not null check (reads_per_minute > 0),
        writes_per_minute integer not null check (writes_per_minute > 0),
        epoch bigint not null default 1,
        created_at timestamptz(3) not null
      )`);
    await runner.query(`
      create table directory.credentials (
        id uuid primary key,
        tenant_id uuid not null references directory.tenants (id),
        kind text not null check (kind in ('api_key', 'scim_token')),
        key_id text not null constraint credentials_key_id_key unique,
        lineage_id uuid not null,
        name text not null check (length(name) between 1 and 200),
        secret_hash bytea not null check (length(secret_hash) = 32),
        scopes text[] not null,
        allow_protected boolean not null,
        allowed_cidrs text[] not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        revoked_at timestamptz(3)
      )`);
    await runner.query(`create index credentials_tenant_idx on directory.credentials (tenant_id, created_at)`);
    await runner.query(`
      create table directory.credential_uses (
        credential_id uuid primary key references directory.credentials (id),
        last_used_at timestamptz(3) not null
      )`);

    await runner.query(`
      create function directory.bump_epoch() returns trigger language plpgsql security definer
        set search_path = pg_catalog as $$
      begin
        update directory.tenants set epoch = epoch + 1
          where id = case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
        return null;
      end $$`);
    await runner.query(`
      create trigger epoch after update or delete on directory.credentials
        for each row execute function directory.bump_epoch()`);
    await runner.query(`
      create function directory.bump_own_epoch() returns trigger language plpgsql
        set search_path = pg_catalog as $$
      begin
        if new.epoch = old.epoch then new.epoch := old.epoch + 1; end if;
        return new;
      end $$`);
    await runner.query(`
      create trigger epoch before update on directory.tenants
        for each row execute function directory.bump_own_epoch()`);

    await runner.query(`
      create function directory.check_epoch(tenant uuid, expected bigint) returns boolean
        language plpgsql stable security definer set search_path = pg_catalog as $$
      declare actual bigint;
      begin
        select t.epoch into actual from directory.tenants t where t.id = tenant;
        if actual is distinct from expected then
          raise exception 'the facts about the tenant have changed' using errcode = 'TOP01';
        end if;
        return true;
      end $$`);
    await runner.query(`
      create function directory.authenticate(wanted text) returns table (
        credential_id uuid, kind text, lineage_id uuid, name text, secret_hash bytea, scopes text[],
        allow_protected boolean, allowed_cidrs text[], expires_at timestamptz, revoked_at timestamptz,
        tenant_id uuid, slug text, plan text, currency text, reads_per_minute integer, writes_per_minute integer,
        epoch bigint)
        language sql stable security definer set search_path = pg_catalog as $$
        select c.id, c.kind, c.lineage_id, c.name, c.secret_hash, c.scopes, c.allow_protected, c.allowed_cidrs,
               c.expires_at, c.revoked_at, t.id, t.slug, t.plan, t.currency, t.reads_per_minute, t.writes_per_minute,
               t.epoch
        from directory.credentials c join directory.tenants t on t.id = c.tenant_id
        where c.key_id = wanted $$`);
    await runner.query(`
      create function directory.record_uses(ids uuid[], used_at timestamptz[]) returns void
        language sql security definer set search_path = pg_catalog as $$
        insert into directory.credential_uses (credential_id, last_used_at)
          select u.id, u.at from unnest(ids, used_at) as u (id, at) order by u.id
        on conflict (credential_id) do update
          set last_used_at = greatest(credential_uses.last_used_at, excluded.last_used_at) $$`);

    await runner.query(`grant usage on schema directory to ${app}, ${system}, ${lookup}`);
    await runner.query(`grant select on directory.tenants, directory.credentials to ${lookup}`);
    await runner.query(`grant update (epoch) on directory.tenants to ${lookup}`);
    await runner.query(`grant select, insert, update on directory.credential_uses to ${lookup}`);
    for (const definer of [
      'bump_epoch()',
      'check_epoch(uuid, bigint)',
      'authenticate(text)',
      'record_uses(uuid[], timestamptz[])',
    ])
      await definerFunction(runner, `directory.${definer}`);
    await runner.query(`grant select, insert, update on directory.tenants, directory.credentials to ${system}`);
    await runner.query(`grant select on directory.credential_uses to ${system}`);
    await runner.query(`grant select on directory.migrations to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
