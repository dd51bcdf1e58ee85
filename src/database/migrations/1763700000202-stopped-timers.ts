import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A timer that is stopped on a full day leaves an entry of 0 minutes. */
export class StoppedTimers1763700000202 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.work_time_entries
        drop constraint work_time_entries_minutes_check,
        add constraint work_time_entries_minutes_check check (minutes between 0 and 1440)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
