import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Service-level objectives, and the running counters that their figures are read from. ADR 0053. */
export class Slo1763700000111 implements MigrationInterface {
  name = 'Slo1763700000111';

  async up(runner: QueryRunner): Promise<void> {
    // The defaults of a tenant have no row until somebody changes them. Fractions are in JSON: they are not computed with.
    await runner.query(`
      create table data.slos (
        tenant_id uuid not null,
        id uuid not null,
        key text not null check (key ~ '^[a-z][a-z0-9_]{0,59}$'),
        version integer not null check (version > 0),
        definition jsonb not null,
        archived_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        constraint slos_key_key unique (tenant_id, key)
      )`);
    await tenantTable(runner, 'data.slos', { grant: 'select, insert, update' });

    await runner.query(`
      create table data.slo_counts (
        tenant_id uuid not null,
        slo_id uuid not null,
        grain text not null check (grain in ('minute', 'hour')),
        at timestamptz(3) not null,
        good bigint not null check (good >= 0),
        bad bigint not null check (bad >= 0),
        primary key (tenant_id, slo_id, grain, at)
      ) with (fillfactor = 70)`);
    await tenantTable(runner, 'data.slo_counts', { grant: 'select, insert, update, delete' });

    await runner.query(`
      create table data.slo_progress (
        tenant_id uuid not null,
        slo_id uuid not null,
        counted_to timestamptz(3) not null,
        alerting_since timestamptz(3),
        primary key (tenant_id, slo_id)
      ) with (fillfactor = 50)`);
    await tenantTable(runner, 'data.slo_progress', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
