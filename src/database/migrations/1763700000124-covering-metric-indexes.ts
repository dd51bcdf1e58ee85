import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Existing indexes, by table and key, and the columns that metrics read besides. */
const COVERING: readonly [table: string, index: string, key: string, columns: string, where?: string][] = [
  [
    'sales_deals',
    'closed_at_metric',
    'closed_at',
    'status, currency, value_minor, created_at, deleted_at',
    'closed_at',
  ],
  [
    'sales_deals',
    'status_filter',
    'status, created_at desc, id desc',
    'currency, value_minor, probability, expected_close_date, deleted_at, archived_at',
  ],
  ['sales_leads', 'created_at_metric', 'created_at', 'status, deleted_at'],
  ['sales_accounts', 'lifecycle_filter', 'lifecycle, created_at desc, id desc', 'deleted_at, archived_at'],
  [
    'finance_invoices',
    'issue_date_metric',
    'issue_date',
    'status, overdue_at, currency, total_minor, deleted_at',
    'issue_date',
  ],
  ['finance_invoices', 'paid_at_metric', 'paid_at', 'status, overdue_at, issue_date, due_date, deleted_at', 'paid_at'],
  [
    'finance_invoices',
    'status_filter',
    'status, created_at desc, id desc',
    'overdue_at, currency, balance_minor, deleted_at, archived_at',
  ],
  [
    'finance_payments',
    'received_date_sort',
    'received_date, id',
    'direction, status, currency, amount_minor, refunded_minor, deleted_at, archived_at',
  ],
  ['work_tasks', 'completed_at_metric', 'completed_at', 'created_at, project_id, deleted_at', 'completed_at'],
  [
    'work_tasks',
    'category_filter',
    'category, created_at desc, id desc',
    'due_date, project_id, deleted_at, archived_at',
  ],
  [
    'work_time_entries',
    'work_date_sort',
    'work_date, id',
    'running_since, status, project_id, minutes, billable, deleted_at',
  ],
];

/** Lets index-only scans answer the metrics of long lists. No index is added; eleven get more columns. */
export class CoveringMetricIndexes1763700000124 implements MigrationInterface {
  name = 'CoveringMetricIndexes1763700000124';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, index, key, columns, where] of COVERING) {
      const name = `${table}_${index}_idx`;
      await runner.query(`drop index data.${name}`);
      await runner.query(
        `create index ${name} on data.${table} (tenant_id, ${key}) include (${columns})
           ${where === undefined ? '' : `where ${where} is not null`}`,
      );
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
