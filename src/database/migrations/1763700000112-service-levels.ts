import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { migrationRoles, tenantTable } from '#libs/database/tenant-table.js';

const WINDOW = `
  title text not null check (length(title) between 1 and 200),
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null check (ends_at > starts_at)`;

/** Announced maintenance, targets that were agreed with single tenants, and the stored reports of closed months. */
export class ServiceLevels1763700000112 implements MigrationInterface {
  name = 'ServiceLevels1763700000112';

  async up(runner: QueryRunner): Promise<void> {
    const { lookup, system } = migrationRoles();
    await runner.query(`
      create table data.maintenance_windows (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        ${WINDOW},
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await runner.query(`create index maintenance_windows_time_idx on data.maintenance_windows (tenant_id, starts_at)`);
    await tenantTable(runner, 'data.maintenance_windows', { grant: 'select, insert' });
    await runner.query(`
      create table data.sla_reports (
        tenant_id uuid not null,
        month text not null check (month ~ '^[0-9]{4}-[0-9]{2}$'),
        version integer not null check (version > 0),
        report jsonb not null,
        stored_at timestamptz(3) not null,
        primary key (tenant_id, month, version)
      )`);
    await tenantTable(runner, 'data.sla_reports', { grant: 'select, insert' });

    await runner.query(`
      create table directory.maintenance_windows (
        id uuid primary key,
        ${WINDOW},
        announced_at timestamptz(3) not null,
        cancelled_at timestamptz(3)
      )`);
    await runner.query(`create index maintenance_windows_time_idx on directory.maintenance_windows (starts_at)`);
    await runner.query(`
      create table directory.tenant_commitments (
        tenant_id uuid not null references directory.tenants (id),
        metric text not null,
        target_millis integer not null check (target_millis between 1 and 100000),
        primary key (tenant_id, metric)
      )`);
    await runner.query(`grant select on directory.maintenance_windows, directory.tenant_commitments to ${lookup}`);
    await runner.query(
      `grant select, insert, update on directory.maintenance_windows, directory.tenant_commitments to ${system}`,
    );
    await runner.query(`
      create function directory.maintenance(since timestamptz, until timestamptz)
        returns table (id uuid, title text, starts_at timestamptz, ends_at timestamptz)
        language sql stable security definer set search_path = pg_catalog as $$
        select w.id, w.title, w.starts_at, w.ends_at from directory.maintenance_windows w
        where w.cancelled_at is null and w.ends_at > since and w.starts_at < until order by w.starts_at, w.id $$`);
    await runner.query(`
      create function directory.commitments() returns table (metric text, target_millis integer)
        language sql stable security definer set search_path = pg_catalog as $$
        select c.metric, c.target_millis from directory.tenant_commitments c
        where c.tenant_id = current_setting('app.tenant_id')::uuid $$`);
    await definerFunction(runner, 'directory.maintenance(timestamptz, timestamptz)');
    await definerFunction(runner, 'directory.commitments()');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
