import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Credit notes are mailed to customers. */
export class SentCreditNotes1763700000391 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.finance_credit_notes add column sent_at timestamptz(3),
        add column sent_to jsonb not null default '[]', add column sent_message text`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
