import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deals can move to a stage that their pipeline gets in the same transaction. */
export class StageRemoval1763700000263 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table data.sales_deals alter constraint sales_deals_stage_of_pipeline deferrable');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
