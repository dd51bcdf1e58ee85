import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Members say in their profile when they work in the week. */
export class MemberHours1763700000360 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table data.memberships add column working_hours jsonb check (jsonb_typeof(working_hours) = 'array')`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
