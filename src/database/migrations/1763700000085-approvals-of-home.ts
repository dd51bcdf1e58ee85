import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The table of approvals is named after its area and collection, as those of all record types are. */
export class ApprovalsOfHome1763700000085 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table data.approvals rename to home_approvals');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
