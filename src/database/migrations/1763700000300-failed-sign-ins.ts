import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Failed sign-ins of a member: those that the newest event told of, at `told_at`, and those since. */
export class FailedSignIns1763700000300 implements MigrationInterface {
  name = 'FailedSignIns1763700000300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.failed_sign_ins (
        tenant_id uuid not null,
        membership_id uuid not null,
        told_at timestamptz(3) not null,
        count integer not null check (count > 0),
        untold integer not null default 0 check (untold >= 0),
        primary key (tenant_id, membership_id),
        foreign key (tenant_id, membership_id) references data.memberships on delete cascade
      )`);
    await tenantTable(runner, 'data.failed_sign_ins', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
