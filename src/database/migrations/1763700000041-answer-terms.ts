import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What goes with a stored answer for who is to have it later: what was demanded, and what showing it puts on record. */
export class AnswerTerms1763700000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.idempotency_keys add column terms jsonb`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
