import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the next access review of a series could not start. */
export class FailedReviewStarts1763700000193 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.access_reviews add column start_error text check (length(start_error) between 1 and 100)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
