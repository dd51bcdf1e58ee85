import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Asynchronous jobs with their progress. */
export class Jobs1763700000090 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.jobs (
        tenant_id uuid not null,
        id uuid not null,
        kind text not null,
        status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        done bigint not null default 0 check (done >= 0),
        total bigint check (total >= 0),
        phase text,
        input jsonb not null,
        state jsonb not null default '{}',
        result jsonb,
        error jsonb,
        requester_id uuid,
        requested_by jsonb not null,
        created_at timestamptz(3) not null,
        started_at timestamptz(3),
        finished_at timestamptz(3),
        expires_at timestamptz(3) not null,
        primary key (tenant_id, id),
        check ((finished_at is not null) = (status in ('succeeded', 'failed', 'cancelled'))),
        check ((error is not null) = (status = 'failed'))
      )`);
    await runner.query(`create index jobs_time_idx on data.jobs (tenant_id, created_at desc, id desc)`);
    await runner.query(
      `create index jobs_requester_idx on data.jobs (tenant_id, requester_id, created_at desc, id desc)`,
    );
    await runner.query(`create index jobs_expiry_idx on data.jobs (tenant_id, expires_at)`);
    await tenantTable(runner, 'data.jobs', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
