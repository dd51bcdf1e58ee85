import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';
import { MAKE_PARTITION } from './1763700000017-partition-functions.js';

/** What a delivery costs the database: fewer checks and index entries for each, fewer statements for many. ADR 0019. */
export class DeliverySpeed1763700000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app } = migrationRoles();
    // Endpoints are never deleted from their table, and whoever adds deliveries has locked them.
    await runner.query(`alter table data.webhook_deliveries drop constraint webhook_deliveries_endpoint_fkey`);
    await runner.query(`alter table data.webhook_queue drop constraint webhook_queue_endpoint_fkey`);
    // Attempts of many tenants are recorded at once: a system table like the deliveries.
    await runner.query(`alter policy tenant_isolation on data.webhook_attempts to ${app}`);
    await revisions(runner);
    await stopped(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/**
 * What is neither delivered nor in the queue, by status. A column of its own, so that no index changes when a delivery is
 * delivered: then the row is written anew beside its first version and no index entry is made (heap-only tuple).
 */
async function stopped(runner: QueryRunner): Promise<void> {
  await runner.query(MAKE_PARTITION);
  await runner.query(`
    alter table data.webhook_deliveries add column stopped text
      generated always as (case when status in ('exhausted', 'held', 'skipped') then status end) stored`);
  await runner.query(`
    do $$ declare partition regclass; begin
      for partition in select inhrelid from pg_inherits where inhparent = 'data.webhook_deliveries'::regclass loop
        execute format('alter table %s set (fillfactor = 50)', partition);
      end loop;
    end $$`);
  for (const name of ['status', 'held']) await runner.query(`drop index data.webhook_deliveries_${name}_idx`);
  await runner.query(`
    create index webhook_deliveries_stopped_idx on data.webhook_deliveries (tenant_id, stopped, created_at desc, id desc)
      where stopped is not null`);
  await runner.query(`
    create index webhook_deliveries_held_idx on data.webhook_deliveries (tenant_id, endpoint_id, created_at)
      where stopped = 'held'`);
}

/** A number that changes with the endpoint, so that a worker knows whether what it remembers of it still holds. */
async function revisions(runner: QueryRunner): Promise<void> {
  await runner.query(`alter table data.webhook_lanes add column revision integer not null default 0`);
  await runner.query(`
    create function data.mark_endpoint_change() returns trigger language plpgsql set search_path = pg_catalog as $$
    begin
      update data.webhook_lanes set revision = revision + 1 where tenant_id = new.tenant_id and endpoint_id = new.id;
      return null;
    end $$`);
  await runner.query(`
    create trigger changes after update on data.webhook_endpoints for each row
      execute function data.mark_endpoint_change()`);
}
