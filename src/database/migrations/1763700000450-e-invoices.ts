import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What electronic invoices say beyond their documents, fixed at issue. */
export class EInvoices1763700000450 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['finance_invoices', 'finance_credit_notes'])
      await runner.query(`alter table data.${table} add column e_invoice jsonb`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
