import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time at which a record counts in a metric, by table; archived records count too. */
const TIMES: readonly [table: string, column: string, isNullable: boolean][] = [
  ['sales_deals', 'closed_at', true],
  ['sales_leads', 'created_at', false],
  ['finance_invoices', 'issue_date', true],
  ['finance_invoices', 'paid_at', true],
  ['work_projects', 'completed_at', true],
  ['work_tasks', 'completed_at', true],
  ['talent_applications', 'hired_at', true],
  ['talent_applications', 'applied_at', false],
  ['talent_candidates', 'hired_at', true],
  ['talent_offers', 'sent_at', true],
];

/** Indexes for metrics and for the filters of their drill-downs. */
export class MetricIndexes1763700000115 implements MigrationInterface {
  name = 'MetricIndexes1763700000115';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column, isNullable] of TIMES)
      await runner.query(
        `create index ${table}_${column}_metric_idx on data.${table} (tenant_id, ${column})
           ${isNullable ? `where ${column} is not null` : ''}`,
      );
    await runner.query(
      `create index people_employees_employed_idx on data.people_employees
         (tenant_id, coalesce(termination_date, 'infinity'))`,
    );
    await runner.query(
      `create index work_projects_budget_idx on data.work_projects (tenant_id, created_at desc, id desc)
         where budget_minor is not null or budget_minutes is not null`,
    );
    await runner.query(
      `create index ai_jobs_proposals_idx on data.ai_jobs (tenant_id, created_at desc, id desc)
         where proposed_actions <> '[]'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
