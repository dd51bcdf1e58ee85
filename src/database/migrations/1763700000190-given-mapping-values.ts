import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which values of a talent mapping callers have set. For present mappings nobody knows, so all that they have. */
export class GivenMappingValues1763700000190 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.talent_mappings
        add column given jsonb not null default '[]' check (jsonb_typeof(given) = 'array')`);
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    await runner.query(`alter table data.talent_mappings no force row level security`);
    await runner.query(`
      update data.talent_mappings set given = (
          select coalesce(jsonb_agg(v.key), '[]') from jsonb_each(values) v where v.value not in ('null', '[]'))
        where status in ('draft', 'ready')`);
    await runner.query(`alter table data.talent_mappings force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
