import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What whoever gave an exception ran the tenant with: a denial for a role or workspace does not reach people above them.
 * Nobody knows it of what there is: those denials reach whoever runs nothing.
 */
export class Denials1763700000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.resource_grants add column given_with text[] not null default '{}'`);
  }

  down(): Promise<void> {
    throw new Error('Migrations only go forward.');
  }
}
