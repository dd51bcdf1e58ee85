import type { MigrationInterface, QueryRunner } from 'typeorm';
import { MAX_PAYMENT_TERMS_DAYS } from '#libs/settings/settings.model.js';

/** Accounts with longer terms of payment than an invoice can take over get the longest that it can. */
export class PaymentTerms1763700000046 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    await runner.query(`alter table data.sales_accounts no force row level security`);
    await runner.query(`
      update data.sales_accounts set payment_terms_days = ${MAX_PAYMENT_TERMS_DAYS}, version = version + 1
        where payment_terms_days > ${MAX_PAYMENT_TERMS_DAYS}`);
    await runner.query(`alter table data.sales_accounts force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
