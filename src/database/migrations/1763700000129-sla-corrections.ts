import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why, when and by whom a later version of the report of a closed month was made; null for the first version. */
export class SlaCorrections1763700000129 implements MigrationInterface {
  name = 'SlaCorrections1763700000129';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.sla_reports add column correction jsonb,
        add check ((version = 1) = (correction is null))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
