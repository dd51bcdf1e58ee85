import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';

/**
 * What a worker has leased as it was made is in no index of the queue but the key: it never waits there. The indexes of what
 * waits are of no use for a look by key then, so that an index for such looks alone is not needed any more. ADR 0019.
 */
export class DirectEntries1763700000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const name of ['delivery', 'due', 'subject']) await runner.query(`drop index data.webhook_queue_${name}_idx`);
    await runner.query(`
      alter table data.webhook_queue add column direct boolean not null default false,
        add constraint webhook_queue_direct_check check (not direct or lease_token is not null)`);
    // Without lists of equal keys, as before: one is skipped as dead only when all its rows are.
    await runner.query(`
      create index webhook_queue_due_idx on data.webhook_queue (tenant_id, endpoint_id, retry, due_at)
        with (deduplicate_items = off) where not direct`);
    await runner.query(`
      create index webhook_queue_subject_idx on data.webhook_queue (tenant_id, endpoint_id, subject_id, sequence)
        where not direct`);
    // Attempts of many tenants are counted at once: a system table like the attempts.
    await runner.query(`alter policy tenant_isolation on data.webhook_stats to ${migrationRoles().app}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
