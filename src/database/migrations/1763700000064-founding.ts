import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Founding a tenant over the API: keys of operators, and what the API's role may do for them in the directory. ADR 0043. */
export class Founding1763700000064 implements MigrationInterface {
  name = 'Founding1763700000064';

  async up(runner: QueryRunner): Promise<void> {
    const { system, lookup } = migrationRoles();
    await runner.query(`
      alter table directory.tenants
        add column version integer not null default 1 check (version > 0),
        add column updated_at timestamptz(3) not null default now()`);
    await runner.query(`update directory.tenants set updated_at = created_at`);
    // Whoever changes it: the epoch also rises with what the tenant has.
    await runner.query(`
      create function directory.bump_tenant_version() returns trigger language plpgsql set search_path = pg_catalog as $$
      begin
        new.version := old.version + 1;
        new.updated_at := now();
        return new;
      end $$`);
    await runner.query(`
      create trigger version before update of name, plan, currency, reads_per_minute, writes_per_minute
        on directory.tenants for each row execute function directory.bump_tenant_version()`);
    await runner.query(`
      create table directory.operator_keys (
        id uuid primary key,
        name text not null check (length(name) between 1 and 200),
        secret_hash bytea not null constraint operator_keys_secret_key unique check (length(secret_hash) = 32),
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        revoked_at timestamptz(3)
      )`);
    await runner.query(`
      create function directory.find_operator_key(hash bytea, at timestamptz) returns table (id uuid, name text)
        language sql stable security definer set search_path = pg_catalog as $$
        select k.id, k.name from directory.operator_keys k
        where k.secret_hash = hash and k.revoked_at is null and k.expires_at > at $$`);
    // It adds a tenant and changes none.
    await runner.query(`
      create function directory.found_tenant(new_id uuid, new_slug text, new_name text, new_plan text, owner text,
        new_currency text, reads integer, writes integer, at timestamptz) returns void
        language sql security definer set search_path = pg_catalog as $$
        insert into directory.tenants (id, slug, name, plan, owner_email, currency, reads_per_minute,
            writes_per_minute, created_at, updated_at)
          values (new_id, new_slug, new_name, new_plan, owner, new_currency, reads, writes, at, at) $$`);
    // Whom it was founded for is asked, never told.
    await runner.query(`
      create function directory.tenant_founded_for(wanted text, owner text) returns table (id uuid)
        language sql stable security definer set search_path = pg_catalog as $$
        select t.id from directory.tenants t where t.slug = wanted and lower(t.owner_email) = lower(owner) $$`);
    await runner.query(`
      create function directory.tenant_by_id(wanted uuid)
        returns table (id uuid, slug text, plan text, currency text, epoch bigint)
        language sql stable security definer set search_path = pg_catalog as $$
        select t.id, t.slug, t.plan, t.currency, t.epoch from directory.tenants t where t.id = wanted $$`);
    await runner.query(`
      create function directory.tenant_in_scope() returns table (id uuid, slug text, name text, plan text, currency text,
        reads_per_minute integer, writes_per_minute integer, version integer, created_at timestamptz,
        updated_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select t.id, t.slug, t.name, t.plan, t.currency, t.reads_per_minute, t.writes_per_minute, t.version,
          t.created_at, t.updated_at
        from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid $$`);
    await runner.query(`grant select on directory.operator_keys to ${lookup}`);
    await runner.query(`grant insert on directory.tenants to ${lookup}`);
    for (const definer of [
      'find_operator_key(bytea, timestamptz)',
      'found_tenant(uuid, text, text, text, text, text, integer, integer, timestamptz)',
      'tenant_founded_for(text, text)',
      'tenant_by_id(uuid)',
      'tenant_in_scope()',
    ])
      await definerFunction(runner, `directory.${definer}`);
    await runner.query(`grant select, insert, update on directory.operator_keys to ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
