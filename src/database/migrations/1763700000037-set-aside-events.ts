import type { MigrationInterface, QueryRunner } from 'typeorm';
import { systemTable } from '#libs/database/tenant-table.js';

/**
 * An event that cannot be fanned out has its number and stands here until it could be, or was given up: it is tried again
 * without keeping those after it waiting. ADR 0030.
 */
export class SetAsideEvents1763700000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `due_at` is null once an event is given up; `attempts` counts those that failed.
    await runner.query(`
      create table data.events_set_aside (
        tenant_id uuid not null,
        event_id uuid not null,
        sequence bigint not null,
        attempts integer not null,
        due_at timestamptz(3),
        error text not null,
        set_aside_at timestamptz(3) not null,
        primary key (tenant_id, event_id)
      )`);
    await runner.query(
      `create index events_set_aside_due_idx on data.events_set_aside (due_at) where due_at is not null`,
    );
    // Rows are copied by the owner, who otherwise sees none without a tenant. What was set aside until now was never tried again.
    await runner.query(`alter table data.event_numbers no force row level security`);
    await runner.query(`
      insert into data.events_set_aside (tenant_id, event_id, sequence, attempts, due_at, error, set_aside_at)
      select tenant_id, event_id, sequence, 1, now(), error, numbered_at from data.event_numbers where error is not null`);
    await runner.query(`alter table data.event_numbers drop column error`);
    await runner.query(`alter table data.event_numbers force row level security`);
    await systemTable(runner, 'data.events_set_aside', {
      app: { grant: 'select' },
      system: { grant: 'select, insert, update, delete' },
    });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
