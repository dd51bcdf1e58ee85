import type { MigrationInterface, QueryRunner } from 'typeorm';
import { guardHeldRecords } from '#libs/database/legal-holds.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** Retention policies with their runs and tombstones, and legal holds that stop every deletion. */
export class Retention1763700000091 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await policies(runner);
    await runs(runner);
    await holds(runner);
    await holdFunctions(runner);
    await guardRecords(runner);
    await allowPurging(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const DISPOSITIONS = `('delete', 'anonymize', 'archive')`;

async function policies(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.retention_policies (
      tenant_id uuid not null,
      id uuid not null,
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      object text not null,
      filter jsonb not null,
      retain_days integer not null check (retain_days between 1 and 36500),
      disposition text not null check (disposition in ${DISPOSITIONS}),
      enabled boolean not null,
      legal_basis text,
      primary key (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.retention_policies', { grant: 'select, insert, update, delete' });
}

async function runs(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.retention_runs (
      tenant_id uuid not null,
      id uuid not null,
      created_at timestamptz(3) not null,
      policy_id uuid,
      object text,
      disposition text not null check (disposition in ${DISPOSITIONS}),
      job_id uuid not null,
      examined bigint not null default 0,
      affected bigint not null default 0,
      held_back bigint not null default 0,
      in_use bigint not null default 0,
      failed bigint not null default 0,
      per_type jsonb not null default '{}',
      finished_at timestamptz(3),
      primary key (tenant_id, id)
    )`);
  await runner.query(
    `create index retention_runs_time_idx on data.retention_runs (tenant_id, created_at desc, id desc)`,
  );
  await runner.query(
    `create index retention_runs_policy_idx on data.retention_runs (tenant_id, policy_id, created_at desc)`,
  );
  await tenantTable(runner, 'data.retention_runs', { grant: 'select, insert, update' });
  await runner.query(`
    create table data.retention_tombstones (
      tenant_id uuid not null,
      object text not null,
      record_id uuid not null,
      disposition text not null check (disposition in ('delete', 'anonymize')),
      policy_id uuid,
      run_id uuid not null,
      at timestamptz(3) not null,
      primary key (tenant_id, record_id, disposition)
    )`);
  await runner.query(
    `create index retention_tombstones_run_idx on data.retention_tombstones (tenant_id, run_id, record_id)`,
  );
  await tenantTable(runner, 'data.retention_tombstones', {
    grant: 'select, insert',
    updateColumns: ['policy_id', 'run_id', 'at'],
  });
}

async function holds(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.legal_holds (
      tenant_id uuid not null,
      id uuid not null,
      version integer not null check (version > 0),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      name text not null,
      matter text,
      scope jsonb not null,
      status text not null check (status in ('active', 'released')),
      reason text not null check (length(reason) between 1 and 2000),
      release_reason text check (length(release_reason) between 1 and 2000),
      placed_by jsonb not null,
      released_by jsonb,
      released_at timestamptz(3),
      primary key (tenant_id, id),
      check ((status = 'released') = (released_at is not null and released_by is not null and release_reason is not null))
    )`);
  await runner.query(`create index legal_holds_active_idx on data.legal_holds (tenant_id) where status = 'active'`);
  await tenantTable(runner, 'data.legal_holds', { grant: 'select, insert, update' });
}

/**
 * A deletion takes the tenant's lock shared and then reads the holds; placing a hold takes it exclusively. So a
 * deletion either ends before the hold is placed, or sees it.
 */
async function holdFunctions(runner: QueryRunner): Promise<void> {
  const { app, system } = migrationRoles();
  const lock = (name: string, call: string) => `
    create function data.${name}() returns void language plpgsql set search_path = pg_catalog as $$
    begin
      perform ${call}(hashtextextended('legal_hold:' || current_setting('app.tenant_id'), 0));
    end $$`;
  await runner.query(lock('lock_deletions', 'pg_advisory_xact_lock_shared'));
  await runner.query(lock('lock_holds', 'pg_advisory_xact_lock'));
  await runner.query(`
    create function data.has_holds(tenant uuid) returns boolean language sql stable set search_path = pg_catalog as $$
      select exists (select from data.legal_holds h where h.tenant_id = tenant and h.status = 'active') $$`);
  // The ids in a row, plus those of the wholes that its parent belongs to. The authors of a row are not its subject.
  await runner.query(`
    create function data.ids_named(tenant uuid, r jsonb) returns text[] language sql stable set search_path = pg_catalog as $$
      select array(
        select m[1] from regexp_matches((r - 'tenant_id' - 'created_by' - 'updated_by')::text,
          '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') m
        union
        select a.candidate_id::text from data.talent_applications a
          where a.tenant_id = tenant and a.id = (r ->> 'application_id')::uuid
        union
        select p.account_id::text from data.work_projects p
          where p.tenant_id = tenant and p.id = (r ->> 'project_id')::uuid and p.account_id is not null
        union
        select e.membership_id::text from data.people_employees e
          where e.tenant_id = tenant and e.id = (r ->> 'employee_id')::uuid and e.membership_id is not null) $$`);
  await runner.query(`
    create function data.is_held(tenant uuid, type text, r jsonb) returns boolean language plpgsql stable
      set search_path = pg_catalog as $$
    declare
      ids text[];
    begin
      if not data.has_holds(tenant) then return false; end if;
      ids := data.ids_named(tenant, r);
      return exists (
        select from data.legal_holds h where h.tenant_id = tenant and h.status = 'active'
          and (h.scope -> 'objects' = '[]' or h.scope -> 'objects' ? type)
          and (jsonb_array_length(h.scope -> 'objectIds') + jsonb_array_length(h.scope -> 'membershipIds')
              + jsonb_array_length(h.scope -> 'accountIds') = 0
            or h.scope -> 'objectIds' ?| ids or h.scope -> 'membershipIds' ?| ids or h.scope -> 'accountIds' ?| ids)
          and (h.scope ->> 'from' is null or (r ->> 'updated_at')::timestamptz >= (h.scope ->> 'from')::timestamptz)
          and (h.scope ->> 'to' is null or (r ->> 'created_at')::timestamptz <= (h.scope ->> 'to')::timestamptz));
    end $$`);
  await runner.query(`
    create function data.refuse_held(held boolean) returns void language plpgsql set search_path = pg_catalog as $$
    begin
      if held then raise exception 'the record is under a legal hold' using errcode = 'TOP14'; end if;
    end $$`);
  await runner.query(`
    create function data.refuse_trash_of_held() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || old.tenant_id, 0));
      if exists (select from data.legal_holds h where h.tenant_id = old.tenant_id and h.status = 'active') then
        perform data.refuse_held(data.is_held(old.tenant_id, tg_argv[0], to_jsonb(old)));
      end if;
      return null;
    end $$`);
  await runner.query(`
    create function data.refuse_delete_of_held() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || t.tenant_id, 0))
        from (select distinct g.tenant_id from gone g) t;
      perform data.refuse_held(exists (
        select from gone g where data.has_holds(g.tenant_id) and data.is_held(g.tenant_id, tg_argv[0], to_jsonb(g))));
      return null;
    end $$`);
  for (const signature of [
    'lock_deletions()',
    'lock_holds()',
    'has_holds(uuid)',
    'ids_named(uuid, jsonb)',
    'is_held(uuid, text, jsonb)',
    'refuse_held(boolean)',
    'refuse_trash_of_held()',
    'refuse_delete_of_held()',
  ])
    await runner.query(`grant execute on function data.${signature} to ${app}, ${system}`);
}

/** Guards the tables of all record types. */
async function guardRecords(runner: QueryRunner): Promise<void> {
  const tables = (await runner.query(`
    select tgrelid::regclass::text as table, split_part(encode(tgargs, 'escape'), '\\000', 1) as type
    from pg_trigger where tgname = 'keep_external_refs' order by 1`)) as { table: string; type: string }[];
  for (const { table, type } of tables) await guardHeldRecords(runner, table, type);
}

/** Rows that go with a record: the worker deletes them. */
const TRACES = [
  'comments',
  'attachments',
  'record_links',
  'record_watchers',
  'record_tags',
  'external_refs',
  'custom_field_values',
  'record_transitions',
  'resource_grants',
  'public_links',
  'ai_job_targets',
  'ai_feedback',
  'automation_runs',
];

async function allowPurging(runner: QueryRunner): Promise<void> {
  const { system } = migrationRoles();
  for (const table of TRACES) await runner.query(`grant delete on data.${table} to ${system}`);
}
