import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a job is about. Flows and timers that are given up are listed as failed jobs about their record. */
export class GivenUpRuns1763700000211 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.jobs add column subject jsonb check (jsonb_typeof(subject) = 'object')`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
