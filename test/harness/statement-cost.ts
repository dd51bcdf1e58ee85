import type pg from 'pg';
import type { Statement } from '#libs/database/statement.js';

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Machine-independent cost of a statement. */
export interface Cost {
  /** Database pages touched. */
  pages: number;
  /** Maximum number of rows handled by one plan node. */
  rows: number;
}

/**
 * The cost of a statement for a tenant, with a custom or a generic plan, whichever is higher. `app` is a connection
 * with the API's role, subject to row-level security. Changes are rolled back.
 */
export async function costOf(app: pg.Client, tenant: string, { text, values }: Statement): Promise<Cost> {
  const list = values.map((value) => literal(app, value)).join();
  await app.query('begin');
  await app.query(`select set_config('app.tenant_id', $1, true)`, [tenant]);
  await app.query(`prepare looked_at as ${text}`);
  const cost = { pages: 0, rows: 0 };
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await app.query(`set local plan_cache_mode = ${mode}`);
    const query = `explain (analyze, buffers, format json) execute looked_at${list && `(${list})`}`;
    await app.query(query); // warm-up: the first run also reads the catalog
    const { rows } = await app.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(query);
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    cost.pages = Math.max(cost.pages, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
    cost.rows = Math.max(cost.rows, mostRows(plan));
  }
  await app.query('rollback');
  await app.query('deallocate looked_at');
  return cost;
}

function mostRows(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return Math.max(own, ...(plan.Plans ?? []).map(mostRows));
}

function literal(app: pg.Client, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return app.escapeLiteral(
    Array.isArray(value) ? `{${value.join()}}` : (value as string | number | boolean).toString(),
  );
}
