import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['data.talent_mappings', 'data.automation_runs'];

/**
 * What was approved when a talent mapping was applied. Nobody knows it for present ones, so those whose steps are open
 * fail, for somebody to retry them.
 */
export class MappingPromises1763700000210 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.talent_mappings add column invitee text, add column promise jsonb`);
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      update data.automation_runs r set state = 'waiting', due_at = now() from data.talent_mappings m
        where m.tenant_id = r.tenant_id and m.id::text = r.key and m.status = 'applying'
          and r.kind = 'talent.mapping.step_due' and r.state = 'waiting'`);
    for (const table of TABLES) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
