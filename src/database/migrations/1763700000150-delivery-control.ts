import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/** Control state and gates of projects under delivery control. A project without a row is in the state `normal`. */
export class DeliveryControl1763700000150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table data.work_delivery_controls (
        tenant_id uuid not null,
        project_id uuid not null,
        control_state text not null check (control_state in ('normal', 'watch', 'escalated')),
        severity text check (severity in ('low', 'medium', 'high', 'critical')),
        update_requested_at timestamptz(3),
        gates jsonb not null check (jsonb_typeof(gates) = 'object'),
        primary key (tenant_id, project_id),
        foreign key (tenant_id, project_id) references data.work_projects (tenant_id, id) on delete cascade,
        check ((control_state = 'escalated') = (severity is not null))
      )`);
    await tenantTable(runner, 'data.work_delivery_controls', { grant: 'select, insert, update' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
