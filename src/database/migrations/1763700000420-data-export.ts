import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

const ALL = { grant: 'select, insert, update, delete' };

/** Requests for exports of data, and the parts of their archives. ADR 0076. */
export class DataExport1763700000420 implements MigrationInterface {
  name = 'DataExport1763700000420';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.data_export_requests (
        tenant_id uuid not null,
        id uuid not null,
        kind text not null check (kind in ('tenant', 'area', 'subject', 'audit')),
        areas jsonb check (jsonb_typeof(areas) = 'array'),
        subject jsonb check (jsonb_typeof(subject) = 'object'),
        format text not null check (format in ('ndjson_zip', 'csv_zip')),
        include_files boolean not null,
        include_deleted boolean not null,
        reason text check (length(reason) between 1 and 1000),
        status text not null check (status in ('pending_approval', 'queued', 'running', 'ready', 'failed', 'rejected',
          'cancelled', 'revoked', 'expired')),
        is_full boolean not null,
        requested_by jsonb not null,
        requester_id uuid not null,
        requester_behind uuid not null,
        guarantor jsonb not null,
        scopes jsonb,
        quorum smallint not null check (quorum between 1 and 5),
        approvals jsonb not null check (jsonb_typeof(approvals) = 'array'),
        full_guarantor jsonb,
        expires_in_hours smallint not null check (expires_in_hours between 1 and 168),
        decision_reason text check (length(decision_reason) between 1 and 1000),
        job_id uuid,
        snapshot_at timestamptz(3),
        record_counts jsonb,
        size_bytes bigint check (size_bytes >= 0),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        error jsonb,
        finished_at timestamptz(3),
        download_expires_at timestamptz(3),
        content_id uuid,
        is_stale boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint data_export_requests_file check ((content_id is not null) = (status = 'ready')),
        constraint data_export_requests_error check ((error is not null) = (status = 'failed')),
        constraint data_export_requests_areas check ((areas is not null) = (kind = 'area')),
        constraint data_export_requests_subject check ((subject is not null) = (kind = 'subject'))
      )`);
    await tenantTable(runner, 'data.data_export_requests', ALL);
    await runner.query(`create index data_export_requests_created_idx
      on data.data_export_requests (tenant_id, created_at desc, id desc)`);
    await runner.query(`create index data_export_requests_requester_idx
      on data.data_export_requests (tenant_id, requester_id, created_at desc, id desc)`);
    await runner.query(`create index data_export_requests_expiry_idx
      on data.data_export_requests (tenant_id, download_expires_at) where status = 'ready'`);

    await runner.query(`
      create table data.data_export_parts (
        tenant_id uuid not null,
        request_id uuid not null,
        position integer not null check (position >= 0),
        number integer not null check (number >= 0),
        type text not null check (length(type) between 3 and 60),
        plan jsonb,
        ids uuid[] not null,
        after text[],
        content_id uuid,
        size integer check (size >= 0),
        primary key (tenant_id, request_id, position, number),
        constraint data_export_parts_plan check ((plan is not null) = (number = 0)),
        constraint data_export_parts_request_fkey foreign key (tenant_id, request_id)
          references data.data_export_requests (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.data_export_parts', ALL);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
