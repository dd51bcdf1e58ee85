import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** The onboarding of a tenant: one row, whose id is that of the tenant. */
export class Onboarding1763700000153 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.tenant_onboarding (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        steps jsonb not null check (jsonb_typeof(steps) = 'array'),
        started_at timestamptz(3) not null,
        completed_at timestamptz(3),
        dismissed boolean not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id)
      )`);
    await tenantTable(runner, 'data.tenant_onboarding', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
