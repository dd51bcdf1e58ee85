import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

const KINDS = ['mention', 'assignment', 'approval_requested', 'approval_decided', 'due_soon', 'overdue', 'watch', 'review', 'endpoint', 'report', 'export', 'security']; // prettier-ignore
const ASKED = `
        type text not null check (length(type) between 3 and 60),
        query jsonb not null check (jsonb_typeof(query) = 'object'),
        format text not null check (format in ('csv', 'ndjson', 'xlsx')),
        locale text not null check (length(locale) between 2 and 35),
        byte_order_mark boolean not null`;

/** Exports of lists, their parts and schedules. ADR 0074. */
export class Exports1763700000400 implements MigrationInterface {
  name = 'Exports1763700000400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.export_schedules (
        tenant_id uuid not null,
        id uuid not null,
        name text collate data.alphabet not null check (length(name) between 1 and 200),
        ${ASKED.trim()},
        cron text not null check (length(cron) between 9 and 100),
        time_zone text not null check (length(time_zone) between 1 and 60),
        recipient_ids jsonb not null check (jsonb_typeof(recipient_ids) = 'array'),
        paused boolean not null,
        paused_reason text check (paused_reason in
          ('owner_inactive', 'credential_ended', 'owner_not_permitted', 'no_longer_valid')),
        owner_id uuid not null,
        guarantor jsonb not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint export_schedules_paused check (paused or paused_reason is null)
      )`);
    await tenantTable(runner, 'data.export_schedules', { grant: 'select, insert, update, delete' });
    await runner.query(`create index export_schedules_owner_idx
      on data.export_schedules (tenant_id, owner_id, created_at desc, id desc)`);

    await runner.query(`
      create table data.export_jobs (
        tenant_id uuid not null,
        id uuid not null,
        ${ASKED.trim()},
        status text not null check (status in ('queued', 'running', 'ready', 'failed', 'cancelled', 'expired')),
        as_of timestamptz(3),
        row_count integer check (row_count between 0 and 1000000),
        size_bytes bigint check (size_bytes >= 0),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        url text,
        error jsonb,
        job_id uuid not null,
        schedule_id uuid,
        requester_id uuid not null,
        finished_at timestamptz(3),
        expires_at timestamptz(3),
        plan jsonb,
        guarantor jsonb not null,
        scopes jsonb,
        reader_ids jsonb not null check (jsonb_typeof(reader_ids) = 'array'),
        content_id uuid,
        is_stale boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint export_jobs_finished check ((finished_at is null) = (status in ('queued', 'running'))),
        constraint export_jobs_error check ((error is not null) = (status = 'failed')),
        constraint export_jobs_file check ((content_id is not null) = (status = 'ready'))
      )`);
    await tenantTable(runner, 'data.export_jobs', { grant: 'select, insert, update, delete' });
    await runner.query(`create index export_jobs_requester_idx
      on data.export_jobs (tenant_id, requester_id, created_at desc, id desc)`);
    await runner.query(`create index export_jobs_open_idx on data.export_jobs (tenant_id) where finished_at is null`);
    await runner.query(`create index export_jobs_expiry_idx on data.export_jobs (tenant_id, expires_at)
      where status = 'ready'`);

    await runner.query(`
      create table data.export_parts (
        tenant_id uuid not null,
        export_id uuid not null,
        number integer not null check (number >= 0),
        ids uuid[] not null,
        content_id uuid,
        primary key (tenant_id, export_id, number),
        constraint export_parts_export_fkey foreign key (tenant_id, export_id)
          references data.export_jobs (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.export_parts', { grant: 'select, insert, update, delete' });

    await runner.query(`
      alter table data.notifications drop constraint notifications_kind_check,
        add constraint notifications_kind_check check (kind in ('${KINDS.join("', '")}'))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
