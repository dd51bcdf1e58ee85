import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '#libs/database/tenant-table.js';

/**
 * The state of a mail says what is known about it: refusals are told apart, and what a worker may have sent before it
 * was lost is not sent again. Mails know what they are about and who caused them. Recipients can end some. ADR 0073.
 */
export class MailStates1763700000390 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.mails drop constraint mails_state_check,
        add column subject_type text check (length(subject_type) between 1 and 60),
        add column actor_type text check (length(actor_type) between 1 and 40),
        add column actor_id uuid`);
    await runner.query(`drop index data.mails_due_idx`);
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    await runner.query(`alter table data.mails no force row level security`);
    // A waiting mail without an error after an attempt is claimed, or was by a worker that is lost.
    await runner.query(`update data.mails set state = case
        when state = 'waiting' and attempts > 0 and error is null then 'sending'
        when state = 'waiting' then 'queued'
        when error like '%RCPT TO 5%' then 'bounced'
        when error like '%DATA 5%' then 'refused'
        else state end
      where state in ('waiting', 'failed')`);
    await runner.query(`alter table data.mails force row level security`);
    await runner.query(`
      alter table data.mails add constraint mails_state_check check (state in ('queued', 'sending', 'sent', 'logged',
        'refused', 'bounced', 'failed', 'cancelled', 'unconfirmed'))`);
    await runner.query(`create index mails_due_idx on data.mails (due_at) where state in ('queued', 'sending')`);
    await runner.query(`
      create table data.mail_suppressions (
        tenant_id uuid not null,
        address_hash text not null check (address_hash ~ '^[0-9a-f]{64}$'),
        kind_group text not null check (length(kind_group) between 1 and 40),
        created_at timestamptz(3) not null,
        primary key (tenant_id, address_hash, kind_group)
      )`);
    await tenantTable(runner, 'data.mail_suppressions', { grant: 'select, insert, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
