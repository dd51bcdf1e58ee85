import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['scim_users', 'scim_user_emails', 'scim_groups', 'scim_group_members'];

/**
 * Has PostgreSQL expect a hundred rows of a tenant that it knows nothing about, where providers look things up. In an
 * installation of many small tenants it would expect one or two; then a walk over all rows of a tenant looks cheaper than a
 * few keys, also for the tenant that a provider has filled since. It holds from the next time that statistics are made.
 */
export class ScimEstimates1763700000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`alter table data.${table} alter column tenant_id set (n_distinct = -0.01)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
