import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A mail that only went to the log of the worker, because there is no mail server, has a state of its own. */
export class LoggedMails1763700000054 implements MigrationInterface {
  name = 'LoggedMails1763700000054';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.mails drop constraint mails_state_check,
        add constraint mails_state_check check (state in ('waiting', 'sent', 'logged', 'failed', 'cancelled'))`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
