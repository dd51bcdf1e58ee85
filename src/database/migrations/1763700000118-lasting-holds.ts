import type { MigrationInterface, QueryRunner } from 'typeorm';
import { keepUnderHold } from '#libs/database/legal-holds.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** A legal hold keeps the records that it covers, even when a change takes them out of its scope. */
export class LastingHolds1763700000118 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await heldIds(runner);
    await holdFunctions(runner);
    await keepRecords(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** The ids in the scope of a hold, and the records that named one of them and no longer do. */
async function heldIds(runner: QueryRunner): Promise<void> {
  const ids = `jsonb_array_elements_text(%s -> 'objectIds' || (%s -> 'membershipIds') || (%s -> 'accountIds'))`;
  await runner.query(`
    create table data.legal_hold_ids (
      tenant_id uuid not null,
      hold_id uuid not null,
      named_id uuid not null,
      primary key (tenant_id, named_id, hold_id),
      foreign key (tenant_id, hold_id) references data.legal_holds (tenant_id, id) on delete cascade
    )`);
  await runner.query(`create index legal_hold_ids_hold_idx on data.legal_hold_ids (tenant_id, hold_id)`);
  await tenantTable(runner, 'data.legal_hold_ids', { grant: 'select, insert' });
  await runner.query(`
    insert into data.legal_hold_ids (tenant_id, hold_id, named_id)
    select distinct h.tenant_id, h.id, i::uuid from data.legal_holds h, ${ids.replaceAll('%s', 'h.scope')} i`);
  await runner.query(`
    create function data.list_held_ids() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      insert into data.legal_hold_ids (tenant_id, hold_id, named_id)
        select distinct new.tenant_id, new.id, i::uuid from ${ids.replaceAll('%s', 'new.scope')} i;
      return null;
    end $$`);
  await runner.query(`
    create trigger list_held_ids after insert on data.legal_holds
      for each row execute function data.list_held_ids()`);
}

async function holdFunctions(runner: QueryRunner): Promise<void> {
  const { app, system } = migrationRoles();
  // The active holds whose ids a row names, whatever their types and periods. Parts follow the record they belong to.
  await runner.query(`
    create function data.holds_naming(tenant uuid, r jsonb) returns setof data.legal_holds language plpgsql stable
      set search_path = pg_catalog as $$
    declare
      ids uuid[] := data.ids_named(tenant, r)::uuid[];
    begin
      return query
        select h.* from data.legal_holds h where h.tenant_id = tenant and h.status = 'active' and (
          exists (
            select from data.legal_hold_ids k
            where k.tenant_id = tenant and k.hold_id = h.id and k.named_id = any(ids))
          or not exists (select from data.legal_hold_ids k where k.tenant_id = tenant and k.hold_id = h.id));
    end $$`);
  await runner.query(`
    create or replace function data.is_held(tenant uuid, type text, r jsonb) returns boolean language plpgsql stable
      set search_path = pg_catalog as $$
    begin
      if not data.has_holds(tenant) then return false; end if;
      return exists (
        select from data.holds_naming(tenant, r) h where (h.scope -> 'objects' = '[]' or h.scope -> 'objects' ? type)
          and (h.scope ->> 'from' is null or (r ->> 'updated_at')::timestamptz >= (h.scope ->> 'from')::timestamptz)
          and (h.scope ->> 'to' is null or (r ->> 'created_at')::timestamptz <= (h.scope ->> 'to')::timestamptz));
    end $$`);
  // Takes the lock first: the change either ends before a hold is placed, or sees it. Only the change of a value that
  // contains an id can take a record out of a scope.
  await runner.query(`
    create function data.keep_under_hold() returns trigger language plpgsql set search_path = pg_catalog as $$
    declare
      before jsonb;
      after jsonb;
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || old.tenant_id, 0));
      if not data.has_holds(old.tenant_id) then return null; end if;
      before := to_jsonb(old);
      after := to_jsonb(new);
      if not exists (
        select from jsonb_each_text(before - 'updated_by') b
          where b.value is distinct from (after ->> b.key) and b.value ~ '[0-9a-f]{8}-') then return null; end if;
      insert into data.legal_hold_ids (tenant_id, hold_id, named_id)
        select old.tenant_id, h.id, old.id from (
          select id from data.holds_naming(old.tenant_id, before)
          except select id from data.holds_naming(old.tenant_id, after)) h
        on conflict do nothing;
      return null;
    end $$`);
  for (const signature of ['holds_naming(uuid, jsonb)', 'keep_under_hold()', 'list_held_ids()'])
    await runner.query(`grant execute on function data.${signature} to ${app}, ${system}`);
}

async function keepRecords(runner: QueryRunner): Promise<void> {
  const tables = (await runner.query(
    `select tgrelid::regclass::text as "table" from pg_trigger where tgname = 'held_trash' order by 1`,
  )) as { table: string }[];
  for (const { table } of tables) await keepUnderHold(runner, table);
}
