import type { QueryRunner } from 'typeorm';
import { definerFunction } from './definer.js';
import { migrationRoles } from './tenant-table.js';

/** Name of the search function of a table, e.g. `data.search_sales_deals`. */
export function searchFunctionOf(table: string): string {
  const [schema, name] = table.split('.');
  return `${schema}.search_${name}`;
}

/**
 * Makes full-text search work under row-level security: text search operators are not leakproof, so behind a policy they
 * cannot use an index. A definer function that reads only the tenant in context can. The table needs a tsvector column
 * `search`. `Source:` ADR 0002.
 */
export async function searchFunction(runner: QueryRunner, table: string): Promise<void> {
  const { lookup } = migrationRoles();
  const [, name] = table.split('.');
  const signature = `${searchFunctionOf(table)}(text)`;
  await runner.query(`create index ${name}_search_idx on ${table} using gin (tenant_id, search)`);
  await runner.query(`grant select (tenant_id, id, search) on ${table} to ${lookup}`);
  await runner.query(`create policy search on ${table} for select to ${lookup} using (true)`);
  await runner.query(`
    create function ${signature} returns setof uuid
      language sql stable security definer set search_path = pg_catalog as $$
      select id from ${table}
      where tenant_id = current_setting('app.tenant_id')::uuid and search @@ to_tsquery('simple', $1) $$`);
  await definerFunction(runner, signature);
}

/**
 * A tsquery text that matches rows holding every word of `q`, each as a whole word or as the beginning of one.
 * Null when `q` has no word. Only letters and digits survive, so the text cannot be malformed.
 */
export function toTsQuery(q: string): string | null {
  const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu);
  return words ? words.map((word) => `${word}:*`).join(' & ') : null;
}
