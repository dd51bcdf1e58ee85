import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable } from '#libs/database/tenant-table.js';

/**
 * What workers send for the first time has no row until that is over; until then it is noted here, tenant by tenant. If it
 * is delivered, the row keeps that attempt as well. ADR 0029.
 */
export class Sending1763700000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.webhook_deliveries add column first_attempt json`);
    // Each entry: ids of delivery, event and endpoint, sequence, version and form. One that has a row counts no more.
    await runner.query(`
      create table data.webhook_sending (
        tenant_id uuid not null,
        worker bigint not null,
        entries json not null,
        leased_until timestamptz(3) not null,
        primary key (tenant_id, worker)
      ) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500)`);
    await systemTable(runner, 'data.webhook_sending', {
      app: { grant: 'select' },
      system: { grant: 'select, insert, update, delete' },
    });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
