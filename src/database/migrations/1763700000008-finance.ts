import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Gapless numbers of documents. */
export class Finance1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The row without a period is the series itself: its lock orders the takers, and it knows the newest date.
    await runner.query(`
      create table data.document_series (
        tenant_id uuid not null,
        series text not null,
        period text not null,
        next bigint not null check (next > 0),
        last_date date,
        primary key (tenant_id, series, period)
      )`);
    await tenantTable(runner, 'data.document_series', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
