import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';

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
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
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
