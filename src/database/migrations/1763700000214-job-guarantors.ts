import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who ordered a job, so that each step can ask for their right again. Nobody knows it for present ones. */
export class JobGuarantors1763700000214 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.jobs add column guarantor jsonb check (jsonb_typeof(guarantor) = 'object')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
