import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable } from '#libs/database/tenant-table.js';

/** What the platform does by itself: one row for each event and flow, and for each timer. */
export class Automation1763700000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.events
        add column causation_id uuid,
        add column depth integer not null default 0 check (depth >= 0)`);

    // Waiting for `due_at`, then ready to be taken. A run of a flow has an event, whose sequence is its position.
    await runner.query(`
      create table data.automation_runs (
        tenant_id uuid not null,
        kind text not null check (length(kind) between 1 and 100),
        key text not null check (length(key) between 1 and 200),
        event_id uuid,
        subject_id text,
        position bigint,
        state text not null check (state in ('waiting', 'ready', 'done', 'cancelled', 'failed')),
        due_at timestamptz(3) not null,
        attempts integer not null default 0 check (attempts >= 0),
        created_at timestamptz(3) not null,
        finished_at timestamptz(3),
        error_code text,
        error_detail text,
        primary key (tenant_id, kind, key),
        foreign key (tenant_id, event_id) references data.events (tenant_id, id),
        check (event_id is not null or (position is null and subject_id is null)),
        check ((state in ('waiting', 'ready')) = (finished_at is null)),
        check (state <> 'failed' or error_code is not null)
      ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`);
    await runner.query(
      `create index automation_runs_waiting_idx on data.automation_runs (due_at) where state = 'waiting'`,
    );
    await runner.query(
      `create index automation_runs_ready_idx on data.automation_runs (tenant_id, due_at, position) where state = 'ready'`,
    );
    await runner.query(
      `create index automation_runs_subject_idx on data.automation_runs (tenant_id, kind, subject_id, position)
         where state in ('waiting', 'ready')`,
    );
    await systemTable(runner, 'data.automation_runs', {
      app: { grant: 'select, insert, update' },
      system: { grant: 'select, insert, update' },
    });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
