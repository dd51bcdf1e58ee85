import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['data.people_employees', 'data.automation_runs'];

/** Employees whose first day had come when they were created stayed pending for ever; their employment begins now. */
export class LateStarts1763700000212 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The owner is no exception to the policies otherwise, and a migration is of no tenant.
    for (const table of TABLES) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      insert into data.automation_runs as r (tenant_id, kind, key, state, due_at, created_at)
        select tenant_id, 'people.employee.start_due', id::text, 'waiting', now(), now() from data.people_employees
        where status in ('pending', 'onboarding') and start_date <= current_date and deleted_at is null
      on conflict (tenant_id, kind, key) do update set state = 'waiting', due_at = excluded.due_at, attempts = 0,
        finished_at = null, error_code = null, error_detail = null where r.state not in ('waiting', 'ready')`);
    for (const table of TABLES) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
