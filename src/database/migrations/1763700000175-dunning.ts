import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Reminders and warnings of invoices. Invoices that are open already get no reminders until they are rescheduled. */
export class Dunning1763700000175 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.finance_invoices
        add column warnings jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array'),
        add column dunning_level integer not null default 0 check (dunning_level between 0 and 10),
        add column dunning_last_sent_at timestamptz(3),
        add column dunning_next_at timestamptz(3),
        add column dunning_not_sent_reason text check (dunning_not_sent_reason in ('recipient_missing')),
        add check (dunning_next_at is null
          or (status in ('issued', 'partially_paid', 'overdue') and not dunning_paused))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
