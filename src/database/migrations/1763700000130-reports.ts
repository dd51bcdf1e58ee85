import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Stored reports and their runs. */
export class Reports1763700000130 implements MigrationInterface {
  name = 'Reports1763700000130';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.reports (
        tenant_id uuid not null,
        id uuid not null,
        name text not null check (length(name) between 1 and 200),
        description text check (length(description) <= 1000),
        record_type text not null check (length(record_type) between 3 and 60),
        filter jsonb not null check (jsonb_typeof(filter) = 'object'),
        dimensions jsonb not null check (jsonb_typeof(dimensions) = 'array'),
        measures jsonb not null check (jsonb_typeof(measures) = 'array'),
        sort jsonb not null check (jsonb_typeof(sort) = 'array'),
        max_rows integer not null check (max_rows between 1 and 10000),
        shared text not null check (shared in ('private', 'workspace', 'tenant')),
        workspace_id uuid,
        owner_id uuid not null,
        schedule jsonb check (jsonb_typeof(schedule) = 'object'),
        paused_at timestamptz(3),
        paused_reason text check (paused_reason in ('owner_inactive', 'owner_not_permitted', 'no_longer_valid')),
        created_by jsonb not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint reports_shared check ((shared = 'workspace') = (workspace_id is not null)),
        constraint reports_paused check ((paused_at is not null) = (paused_reason is not null)),
        constraint reports_workspace_fkey foreign key (tenant_id, workspace_id)
          references data.workspaces (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.reports', { grant: 'select, insert, update, delete' });
    await runner.query(`create index reports_time_idx on data.reports (tenant_id, created_at desc, id desc)`);
    await runner.query(`create index reports_workspace_idx on data.reports (tenant_id, workspace_id)
      where workspace_id is not null`);

    await runner.query(`
      create table data.report_runs (
        tenant_id uuid not null,
        id uuid not null,
        report_id uuid not null,
        name text not null check (length(name) between 1 and 200),
        status text not null check (status in ('queued', 'succeeded', 'failed')),
        trigger text not null check (trigger in ('request', 'schedule')),
        member_id uuid not null,
        reader_ids jsonb not null check (jsonb_typeof(reader_ids) = 'array'),
        question jsonb not null check (jsonb_typeof(question) = 'object'),
        format text not null check (format in ('json', 'csv')),
        job_id uuid not null,
        row_count integer check (row_count between 0 and 10000),
        truncated boolean,
        error jsonb,
        finished_at timestamptz(3),
        expires_at timestamptz(3) not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint report_runs_finished check ((finished_at is not null) = (status in ('succeeded', 'failed'))),
        constraint report_runs_error check ((error is not null) = (status = 'failed')),
        constraint report_runs_rows check ((row_count is not null and truncated is not null) = (status = 'succeeded')),
        constraint report_runs_report_fkey foreign key (tenant_id, report_id)
          references data.reports (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.report_runs', { grant: 'select, insert, update, delete' });
    await runner.query(`create index report_runs_report_idx
      on data.report_runs (tenant_id, report_id, created_at desc, id desc)`);
    await runner.query(`create index report_runs_job_idx on data.report_runs (tenant_id, job_id)`);
    await runner.query(`create index report_runs_expiry_idx on data.report_runs (tenant_id, expires_at)`);

    await runner.query(`
      create table data.report_results (
        tenant_id uuid not null,
        run_id uuid not null,
        result jsonb not null,
        primary key (tenant_id, run_id),
        constraint report_results_run_fkey foreign key (tenant_id, run_id)
          references data.report_runs (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'data.report_results', { grant: 'select, insert' });

    await runner.query(`
      alter table data.memberships drop constraint memberships_muted_mails,
        add constraint memberships_muted_mails check (muted_mails <@ array['endpoint', 'report', 'security'])`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
