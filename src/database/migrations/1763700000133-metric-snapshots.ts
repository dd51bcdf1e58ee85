import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** What the metrics of a tenant were each day, and the values that stood out. ADR 0056. */
export class MetricSnapshots1763700000133 implements MigrationInterface {
  name = 'MetricSnapshots1763700000133';

  async up(runner: QueryRunner): Promise<void> {
    // One row per day, so a day is recorded completely or not at all. `figures` is by key of the metric.
    await runner.query(`
      create table data.metric_snapshots (
        tenant_id uuid not null,
        date date not null,
        time_zone text not null,
        figures jsonb not null check (jsonb_typeof(figures) = 'object'),
        recorded_at timestamptz(3) not null,
        primary key (tenant_id, date)
      )`);
    await tenantTable(runner, 'data.metric_snapshots', { grant: 'select, insert, delete' });

    await runner.query(`
      create table data.metric_anomalies (
        tenant_id uuid not null,
        id uuid not null,
        date date not null,
        metric text not null,
        facts jsonb not null check (jsonb_typeof(facts) = 'object'),
        primary key (tenant_id, id)
      )`);
    await runner.query(`create index metric_anomalies_date_idx on data.metric_anomalies (tenant_id, date, id)`);
    await tenantTable(runner, 'data.metric_anomalies', { grant: 'select, insert, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
