import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * Workers look for entries of the queue by delivery, across tenants. All its other indexes begin with the tenant: while the
 * queue looks empty, as it does most times when PostgreSQL takes its statistics, each of them seemed as good for a look by
 * key, and what looked for one delivery read all that waits for its tenant.
 */
export class QueueLookups1763700000032 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index webhook_queue_delivery_idx on data.webhook_queue (delivery_id)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
