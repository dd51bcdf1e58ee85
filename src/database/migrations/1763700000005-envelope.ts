import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { addEnvelope } from '#libs/database/record-table.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** Who and where: members and workspaces; what every record can carry; the moves of records in their life cycles. */
export class Envelope1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system, lookup } = migrationRoles();
    await people(runner);
    await companions(runner);
    await runner.query(`
      create function data.expect_reference(pointer text, known boolean) returns boolean
        language plpgsql set search_path = pg_catalog as $$
      begin
        if not known then
          raise exception '%', pointer using errcode = 'TOP04';
        end if;
        return true;
      end $$`);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
    await addEnvelope(runner, 'data.sales_pipelines', 'sales.pipeline');
    await addEnvelope(runner, 'data.sales_deals', 'sales.deal');
    await memberOfCredentials(runner, lookup);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function people(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.workspaces (
      tenant_id uuid not null,
      id uuid not null,
      name text not null check (length(name) between 1 and 200),
      created_at timestamptz(3) not null,
      primary key (tenant_id, id)
    )`);
  await tenantTable(runner, 'data.workspaces', { grant: 'select, insert, update' });
  await runner.query(`
    create table data.memberships (
      tenant_id uuid not null,
      id uuid not null,
      email text not null,
      email_lower text not null generated always as (lower(email)) stored,
      name text not null check (length(name) between 1 and 200),
      status text not null check (status in ('invited', 'active', 'suspended', 'deactivated')),
      created_at timestamptz(3) not null,
      primary key (tenant_id, id),
      constraint memberships_email_key unique (tenant_id, email_lower)
    )`);
  await tenantTable(runner, 'data.memberships', { grant: 'select, insert, update' });
}

/** Rows beside the records, kept by triggers. */
async function companions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.record_tags (
      tenant_id uuid not null,
      object text not null,
      tag text not null,
      record_id uuid not null,
      primary key (tenant_id, object, tag, record_id)
    )`);
  await runner.query(`create index record_tags_record_idx on data.record_tags (tenant_id, record_id)`);
  await runner.query(`
    create table data.external_refs (
      tenant_id uuid not null,
      object text not null,
      ref text not null,
      record_id uuid not null,
      primary key (tenant_id, object, record_id, ref),
      constraint external_refs_key unique (tenant_id, object, ref)
    )`);
  await runner.query(`
    create table data.custom_field_values (
      tenant_id uuid not null,
      object text not null,
      key text not null,
      value text not null,
      record_id uuid not null,
      primary key (tenant_id, object, key, record_id, value)
    )`);
  await runner.query(
    `create index custom_field_values_value_idx on data.custom_field_values (tenant_id, object, key, value, record_id)`,
  );
  for (const table of ['record_tags', 'external_refs', 'custom_field_values'])
    await tenantTable(runner, `data.${table}`, { grant: 'select, insert, delete' });

  await keeper(runner, 'tags', 'record_tags', {
    columns: 'tag',
    select: `distinct lower(x) from jsonb_array_elements_text(new.tags) x`,
  });
  await keeper(runner, 'external_refs', 'external_refs', {
    columns: 'ref',
    select: `distinct (x->>'system') || ':' || (x->>'id') from jsonb_array_elements(new.external_refs) x`,
  });
  // Only values that an index row can hold are searched for; longer texts are found by q at most.
  await keeper(runner, 'custom_fields', 'custom_field_values', {
    columns: 'key, value',
    select: `distinct f.key, left(v.value, 200) from jsonb_each(new.custom_fields) f, lateral (
      select e #>> '{}' as value from jsonb_array_elements(
        case when jsonb_typeof(f.value) = 'array' then f.value else jsonb_build_array(f.value) end) e
      where jsonb_typeof(e) in ('string', 'number', 'boolean')) v`,
  });

  await runner.query(`
    create table data.record_transitions (
      tenant_id uuid not null,
      id uuid not null,
      object text not null,
      record_id uuid not null,
      action text not null,
      from_state text not null,
      to_state text not null,
      from_stage text,
      to_stage text,
      actor jsonb not null,
      request_id text not null,
      occurred_at timestamptz(3) not null,
      seconds_in_from_state bigint not null check (seconds_in_from_state >= 0),
      reason text,
      primary key (tenant_id, id)
    )`);
  await runner.query(
    `create index record_transitions_record_idx on data.record_transitions (tenant_id, record_id, occurred_at desc, id desc)`,
  );
  await runner.query(
    `create index record_transitions_time_idx on data.record_transitions (tenant_id, object, occurred_at, from_state)`,
  );
  await tenantTable(runner, 'data.record_transitions', { grant: 'select, insert' });
}

/** The trigger function that keeps the rows of one column of a record; its argument is the type of the record. */
async function keeper(
  runner: QueryRunner,
  column: string,
  table: string,
  rows: { columns: string; select: string },
): Promise<void> {
  const [first = ''] = rows.select.split(' from');
  const values = rows.select.slice(first.length);
  await runner.query(`
    create function data.keep_${column}() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if tg_op = 'UPDATE' then
        delete from data.${table} where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
      end if;
      insert into data.${table} (tenant_id, object, record_id, ${rows.columns})
        select distinct new.tenant_id, tg_argv[0], new.id, ${first.replace('distinct ', '')}${values};
      return null;
    end $$`);
}

/** The member that a credential acts for; null for a service key. */
async function memberOfCredentials(runner: QueryRunner, lookup: string): Promise<void> {
  await runner.query(`alter table directory.credentials add column member_id uuid`);
  // The function belongs to the lookup role, which alone may replace it.
  await runner.query(`set local role ${lookup}`);
  await runner.query(`drop function directory.authenticate(text)`);
  await runner.query(`set local role ${migrationRoles().owner}`);
  await runner.query(`
    create function directory.authenticate(wanted text) returns table (
      credential_id uuid, kind text, lineage_id uuid, name text, member_id uuid, secret_hash bytea, scopes text[],
      allow_protected boolean, allowed_cidrs text[], expires_at timestamptz, revoked_at timestamptz,
      tenant_id uuid, slug text, plan text, currency text, reads_per_minute integer, writes_per_minute integer,
      epoch bigint)
      language sql stable security definer set search_path = pg_catalog as $$
      select c.id, c.kind, c.lineage_id, c.name, c.member_id, c.secret_hash, c.scopes, c.allow_protected,
             c.allowed_cidrs, c.expires_at, c.revoked_at, t.id, t.slug, t.plan, t.currency, t.reads_per_minute,
             t.writes_per_minute, t.epoch
      from directory.credentials c join directory.tenants t on t.id = c.tenant_id
      where c.key_id = wanted $$`);
  await definerFunction(runner, 'directory.authenticate(text)');
}
