/**
 * SQL to follow FROM: reads the live rows of a table with the ids in `$2`, of the tenant `$1`, ordered by id. Each row
 * is looked up separately, because for a list of ids PostgreSQL may scan all rows of the tenant if that seems cheaper.
 * The tenant is in a subquery to hide it from the planner. With outdated statistics that list only a row or two for
 * the tenant, the planner would otherwise scan all its rows, however many there are by now. For pages and batches of
 * up to a few hundred ids; for thousands, one scan is cheaper. `Source:` migration 1763700000030.
 */
export function byIds(table: string, alias: string, columns: string, lock = ''): string {
  return `(select distinct unnest($2::uuid[]) as id order by id) wanted cross join lateral (
    select ${columns} from ${table} where tenant_id = (select $1::uuid) and id = wanted.id and deleted_at is null limit 1 ${lock}
  ) ${alias}`;
}
