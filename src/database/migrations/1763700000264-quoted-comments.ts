import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notifications name the comment that they quote, and follow its edits and its deletion. */
export class QuotedComments1763700000264 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.notifications add column comment_id uuid,
        add constraint notifications_comment_fkey foreign key (tenant_id, comment_id)
          references data.comments (tenant_id, id) on delete set null (comment_id)`);
    await runner.query(`create index notifications_comment_idx on data.notifications (tenant_id, comment_id)
      where comment_id is not null`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
