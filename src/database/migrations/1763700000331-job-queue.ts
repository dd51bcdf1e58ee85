import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable } from '#libs/database/tenant-table.js';

const MOVED = ['data.jobs', 'data.automation_runs'];

/** Jobs get a queue of their own; before, they were timers. Runs of reports can be cancelled. ADR 0066. */
export class JobQueue1763700000331 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.job_queue (
        tenant_id uuid not null,
        job_id uuid not null,
        kind text not null,
        due_at timestamptz(3) not null,
        attempts integer not null default 0 check (attempts >= 0),
        lease_token uuid,
        lease_until timestamptz(3),
        primary key (tenant_id, job_id),
        foreign key (tenant_id, job_id) references data.jobs (tenant_id, id) on delete cascade,
        check ((lease_token is null) = (lease_until is null))
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500,
        autovacuum_analyze_scale_factor = 0.05)`);
    await runner.query(`create index job_queue_due_idx on data.job_queue (tenant_id, due_at, job_id)`);
    await runner.query(`create index job_queue_leased_idx on data.job_queue (tenant_id) where lease_token is not null`);
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    for (const table of MOVED) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      insert into data.job_queue (tenant_id, job_id, kind, due_at, attempts)
      select j.tenant_id, j.id, j.kind, r.due_at, r.attempts
      from data.jobs j join data.automation_runs r
        on r.tenant_id = j.tenant_id and r.kind = j.kind and r.key = j.id::text and r.state in ('waiting', 'ready')
      where j.finished_at is null`);
    await runner.query(`
      delete from data.automation_runs r using data.jobs j
      where r.tenant_id = j.tenant_id and r.kind = j.kind and r.key = j.id::text`);
    for (const table of MOVED) await runner.query(`alter table ${table} force row level security`);
    const access = { grant: 'select, insert, update, delete' };
    await systemTable(runner, 'data.job_queue', { app: access, system: access });
    await runner.query(`
      alter table data.report_runs drop constraint report_runs_status_check,
        drop constraint report_runs_finished,
        add constraint report_runs_status_check check (status in ('queued', 'succeeded', 'failed', 'cancelled')),
        add constraint report_runs_finished check ((finished_at is not null) = (status <> 'queued'))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
