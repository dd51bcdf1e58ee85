import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is held for an endpoint is released in the order of its events, which the time of the row does not tell. */
export class HeldInOrder1763700000057 implements MigrationInterface {
  name = 'HeldInOrder1763700000057';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index data.webhook_deliveries_held_idx`);
    await runner.query(`
      create index webhook_deliveries_held_idx on data.webhook_deliveries (tenant_id, endpoint_id, sequence)
        where stopped = 'held'`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
