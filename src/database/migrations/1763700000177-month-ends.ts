import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projects that are invoiced monthly begin with the current month. */
export class MonthEnds1763700000177 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const tables = ['data.work_projects', 'data.automation_runs'];
    for (const table of tables) await runner.query(`alter table ${table} no force row level security`);
    await runner.query(`
      insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
        select tenant_id, 'finance.project.month_end', id || ':' || to_char(now() at time zone 'UTC', 'YYYY-MM'), 'waiting',
          (date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC', now()
        from data.work_projects where invoice_on = 'month_end' and status <> 'cancelled' and deleted_at is null`);
    for (const table of tables) await runner.query(`alter table ${table} force row level security`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
