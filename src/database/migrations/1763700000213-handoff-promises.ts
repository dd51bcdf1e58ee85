import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What delivery accepted with a handoff. Nobody knows it for present ones, so those whose steps are open fail, for
 * somebody who may accept them to retry.
 */
export class HandoffPromises1763700000213 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.sales_handoffs add column promise jsonb`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
