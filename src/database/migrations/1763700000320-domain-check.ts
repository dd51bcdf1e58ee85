import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Says the check of domains as PostgreSQL shows it. A `between` before an `and` is stored otherwise than it is shown, so
 * that a schema made from the catalog would differ.
 */
export class DomainCheck1763700000320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.sales_accounts drop constraint sales_accounts_domain_check,
        add constraint sales_accounts_domain_check
          check (length(domain) >= 1 and length(domain) <= 253 and domain = lower(domain))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
