import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles, systemTable } from '#libs/database/tenant-table.js';

/**
 * A lease changes nothing in an index: its end stands in a column of its own beside `due_at`, and which deliveries are
 * leased is found by what each worker has claimed. ADR 0019.
 */
export class Claims1763700000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Rows are changed by the owner, who otherwise sees none without a tenant.
    await runner.query(`alter table data.webhook_queue no force row level security`);
    await runner.query(`alter table data.webhook_queue add column leased_until timestamptz(3)`);
    await runner.query(`update data.webhook_queue set leased_until = due_at where lease_token is not null`);
    await runner.query(`drop index data.webhook_queue_leased_idx`);
    await runner.query(`alter table data.webhook_queue drop column leased`);
    // What a worker has claimed for a tenant. Some of it may be done with: only what the queue says is leased counts.
    await runner.query(`
      create table data.webhook_claims (
        tenant_id uuid not null,
        worker bigint not null,
        delivery_ids uuid[] not null,
        primary key (tenant_id, worker)
      ) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500)`);
    await runner.query(`
      insert into data.webhook_claims (tenant_id, worker, delivery_ids)
      select tenant_id, ('x' || left(lease_token::text, 8))::bit(32)::bigint, array_agg(delivery_id)
      from data.webhook_queue where lease_token is not null group by 1, 2`);
    await systemTable(runner, 'data.webhook_claims', {
      app: { grant: 'select' },
      system: { grant: 'select, insert, update, delete' },
    });
    await runner.query(`alter table data.webhook_queue force row level security`);
    // Events of many tenants are numbered at once.
    await runner.query(`alter policy tenant_isolation on data.event_sequences to ${migrationRoles().app}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
