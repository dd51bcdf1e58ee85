import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Approved time does not change, but its texts may be erased. */
export class AnonymousTime1763700000260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function data.check_time_entry() returns trigger language plpgsql set search_path = pg_catalog as $$
      declare
        wordless data.work_time_entries := new;
      begin
        if current_setting('app.erasing', true) = old.id::text and new.status in ('approved', 'invoiced') then
          wordless.name := old.name;
          wordless.note := old.note;
          if (${row('wordless')}) is not distinct from (${row('old')}) then return new; end if;
        end if;
        raise exception 'Approved time does not change.'
          using errcode = 'check_violation', constraint = 'work_time_entries_approved_is_fixed';
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const FIXED = [
  'membership_id',
  'project_id',
  'task_id',
  'work_date',
  'minutes',
  'billable',
  'note',
  'name',
  'rate_minor',
  'amount_minor',
  'approved_at',
];

function row(of: string): string {
  return FIXED.map((column) => `${of}.${column}`).join(', ');
}
