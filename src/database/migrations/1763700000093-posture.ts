import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Security checks: what tenants decided about them, and their runs. */
export class Posture1763700000093 implements MigrationInterface {
  name = 'Posture1763700000093';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.posture_checks (
        tenant_id uuid not null,
        id uuid not null,
        key text not null check (length(key) between 1 and 60),
        exception jsonb,
        owner_id uuid,
        severity_override text check (severity_override in ('low', 'medium', 'high', 'critical')),
        thresholds jsonb not null,
        acknowledgement jsonb,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint posture_checks_key_key unique (tenant_id, key),
        foreign key (tenant_id, owner_id) references data.memberships (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.posture_checks', { grant: 'select, insert, update' });
    await runner.query(`
      create table data.posture_runs (
        tenant_id uuid not null,
        id uuid not null,
        score integer not null check (score between 0 and 100),
        grade text not null check (grade in ('A', 'B', 'C', 'D', 'F')),
        trigger text not null check (trigger in ('request', 'schedule')),
        changes jsonb not null,
        new_critical_failures integer not null check (new_critical_failures between 0 and 100),
        results jsonb not null,
        version integer not null check (version > 0),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await runner.query(`create index posture_runs_time_idx on data.posture_runs (tenant_id, created_at desc, id desc)`);
    // Several workers may find the same tenant due.
    await runner.query(`
      create unique index posture_runs_day_key on data.posture_runs (tenant_id, ((created_at at time zone 'UTC')::date))
        where trigger = 'schedule'`);
    await tenantTable(runner, 'data.posture_runs', { grant: 'select, insert, delete' });
    await runner.query(`create index audit_log_denied_idx on data.audit_log (tenant_id, occurred_at)
      where outcome = 'denied'`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
