import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an absence was set for a leave, and not by the member. It ends with the leave. */
export class AwayOnLeave1763700000191 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.memberships add column away_on_leave boolean not null default false,
        add constraint memberships_away_on_leave check (not away_on_leave or delegate_id is not null)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
