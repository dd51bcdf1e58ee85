import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

const KINDS = ['mention', 'assignment', 'approval_requested', 'approval_decided', 'due_soon', 'overdue', 'watch', 'review', 'endpoint', 'report', 'export', 'import', 'security']; // prettier-ignore

/** Imports, the faults of their rows, and the records that they have made. ADR 0075. */
export class Imports1763700000410 implements MigrationInterface {
  name = 'Imports1763700000410';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.imports (
        tenant_id uuid not null,
        id uuid not null,
        record_type text not null check (length(record_type) between 3 and 60),
        file_id uuid not null,
        format text not null check (format in ('csv', 'ndjson')),
        mapping jsonb not null check (jsonb_typeof(mapping) = 'object'),
        mode text not null check (mode in ('create', 'update', 'upsert')),
        upsert_by text check (length(upsert_by) between 1 and 120),
        locale text not null check (length(locale) between 2 and 35),
        status text not null check (status in ('draft', 'validating', 'validated', 'running', 'completed', 'failed',
          'cancelled', 'rolling_back', 'rolled_back')),
        columns jsonb not null check (jsonb_typeof(columns) = 'array'),
        results jsonb not null check (jsonb_typeof(results) = 'object'),
        error jsonb,
        job_id uuid,
        requester_id uuid not null,
        rollback_until timestamptz(3),
        expires_at timestamptz(3) not null,
        guarantor jsonb not null,
        requester jsonb not null,
        scopes jsonb,
        content_id uuid not null,
        source jsonb not null,
        rows_id uuid,
        refused_id uuid,
        offsets jsonb not null check (jsonb_typeof(offsets) = 'array'),
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint imports_error check (error is null or status = 'failed'),
        constraint imports_key check (mode = 'create' or upsert_by is not null)
      )`);
    await tenantTable(runner, 'data.imports', { grant: 'select, insert, update, delete' });
    await runner.query(`create index imports_requester_idx
      on data.imports (tenant_id, requester_id, created_at desc, id desc)`);
    await runner.query(`create index imports_expiry_idx on data.imports (tenant_id, expires_at)`);

    await runner.query(`
      create table data.import_faults (
        tenant_id uuid not null,
        id uuid not null,
        import_id uuid not null,
        row integer not null check (row > 0),
        column_name text check (length(column_name) <= 200),
        code text not null check (length(code) between 1 and 100),
        message text not null check (length(message) <= 1000),
        created_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint import_faults_import_fkey foreign key (tenant_id, import_id)
          references data.imports (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.import_faults', { grant: 'select, insert, delete' });
    await runner.query(`create index import_faults_row_idx on data.import_faults (tenant_id, import_id, row, id)`);

    await runner.query(`
      create table data.import_records (
        tenant_id uuid not null,
        import_id uuid not null,
        row integer not null check (row > 0),
        record_id uuid not null,
        version integer not null check (version > 0),
        before jsonb check (jsonb_typeof(before) = 'object'),
        primary key (tenant_id, import_id, row),
        constraint import_records_import_fkey foreign key (tenant_id, import_id)
          references data.imports (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.import_records', { grant: 'select, insert, delete' });
    await runner.query(`create index import_records_record_idx on data.import_records (tenant_id, record_id)`);

    await runner.query(`
      alter table data.notifications drop constraint notifications_kind_check,
        add constraint notifications_kind_check check (kind in ('${KINDS.join("', '")}'))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
