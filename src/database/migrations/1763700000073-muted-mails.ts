import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The kinds of mails that a member does not want. */
export class MutedMails1763700000073 implements MigrationInterface {
  name = 'MutedMails1763700000073';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table data.memberships add column muted_mails text[] not null default '{}'
      constraint memberships_muted_mails check (muted_mails <@ array['endpoint', 'security'])`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
