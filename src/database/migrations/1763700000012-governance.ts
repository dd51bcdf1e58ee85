import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

/** What tenants decide themselves: settings with their gates, requests for approval, fields of their own. */
export class Governance1763700000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await settings(runner);
    await approvals(runner);
    await customFields(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** Has every change of the table make processes read again what they remember of the tenant. */
async function raisesEpoch(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`
    create trigger epoch after insert or update or delete on ${table}
      for each row execute function directory.bump_epoch()`);
}

async function settings(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table data.tenant_settings (
      tenant_id uuid primary key,
      version integer not null check (version > 0),
      values jsonb not null check (jsonb_typeof(values) = 'object'),
      updated_at timestamptz(3) not null,
      updated_by jsonb not null
    )`);
  await tenantTable(runner, 'data.tenant_settings', { grant: 'select, insert, update' });
  await raisesEpoch(runner, 'data.tenant_settings');
}

async function approvals(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.approvals',
    'core.approval',
    `
    gate text not null,
    operation text not null,
    action text not null,
    target_object text not null,
    target_id uuid not null,
    target_version integer not null check (target_version > 0),
    target_name text not null,
    input jsonb not null,
    requester jsonb not null,
    requester_person uuid not null,
    rule jsonb not null,
    decisions jsonb not null check (jsonb_typeof(decisions) = 'array' and jsonb_array_length(decisions) <= 5),
    status text not null check (status in
      ('pending', 'approved', 'executed', 'failed', 'rejected', 'cancelled', 'expired')),
    expires_at timestamptz(3) not null,
    closed_at timestamptz(3),
    failure jsonb,
    check ((status in ('pending', 'approved')) = (closed_at is null)),
    check ((status = 'failed') = (failure is not null)),
    check (status not in ('approved', 'executed', 'failed', 'rejected') or jsonb_array_length(decisions) > 0),
    check (expires_at >= created_at)`,
  );
  await listIndexes(runner, 'data.approvals', {
    sorts: ['updated_at', 'expires_at'],
    filters: ['status', 'gate', 'requester_person', 'target_id'],
  });
  await runner.query(`
    create unique index approvals_pending_key on data.approvals (tenant_id, target_object, target_id, action)
      where status = 'pending'`);
}

async function customFields(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.settings_custom_fields',
    'core.custom_field',
    `
    record_type text not null,
    key text not null check (key ~ '^[a-z][a-zA-Z0-9]{0,39}$'),
    field_type text not null check (field_type in ('text', 'long_text', 'integer', 'number', 'boolean', 'date',
      'datetime', 'select', 'multi_select', 'url', 'email', 'money', 'member', 'reference')),
    required boolean not null,
    options jsonb not null check (jsonb_typeof(options) = 'array'),
    min jsonb,
    max jsonb,
    pattern text,
    target text,
    default_value jsonb,
    constraint settings_custom_fields_key_key unique (tenant_id, record_type, key),
    check ((field_type in ('select', 'multi_select')) = (options <> '[]')),
    check ((field_type = 'reference') = (target is not null)),
    check (deleted_at is null)`,
  );
  await listIndexes(runner, 'data.settings_custom_fields', {
    sorts: ['updated_at', 'name', 'key'],
    filters: ['record_type'],
    rareFilters: ['key', 'field_type', 'required'],
  });
  await raisesEpoch(runner, 'data.settings_custom_fields');
  // Fires after the trigger above, which has everyone else who adds a field to the tenant wait: the count is exact.
  await runner.query(`
    create function data.limit_custom_fields() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      if (select count(*) from data.settings_custom_fields
          where tenant_id = new.tenant_id and record_type = new.record_type) > 100 then
        raise exception 'a type has at most 100 custom fields'
          using errcode = '23514', constraint = 'settings_custom_fields_limit';
      end if;
      return null;
    end $$`);
  await runner.query(`
    create trigger limit_custom_fields after insert on data.settings_custom_fields
      for each row execute function data.limit_custom_fields()`);
}
