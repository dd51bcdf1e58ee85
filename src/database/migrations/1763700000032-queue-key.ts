import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * The key of the queue begins with the delivery. All its other indexes begin with the tenant: while the queue looks empty,
 * as it does most times when PostgreSQL takes its statistics, each of them seemed as good for a look by key, and what looked
 * for one delivery read all that waits for its tenant.
 */
export class QueueKey1763700000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.webhook_queue drop constraint webhook_queue_pkey`);
    await runner.query(
      `alter table data.webhook_queue add constraint webhook_queue_pkey primary key (delivery_id, tenant_id)`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
