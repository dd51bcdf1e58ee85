import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The slowest response of a minute. It is null in rows from before this migration, where it was not recorded. */
export class Performance1763700000128 implements MigrationInterface {
  name = 'Performance1763700000128';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.request_stats_minute add column max_ms integer check (max_ms >= 0)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
