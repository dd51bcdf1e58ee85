/**
 * SQL for after FROM, to read the live rows of a table with the ids in `$2`, of the tenant `$1`, in the order of their
 * ids. Each is looked up separately, because with a list of ids PostgreSQL may scan all rows of the tenant if that
 * seems cheaper. The tenant is in a subquery to hide it from the planner, which would otherwise scan a tenant that its
 * statistics know with a row or two, however many rows it has by now. For pages and batches of up to some hundred ids:
 * for thousands, one scan is cheaper. `Source:` migration 1763700000030.
 */
export function byIds(table: string, alias: string, columns: string, lock = ''): string {
  return `(select distinct unnest($2::uuid[]) as id order by id) wanted cross join lateral (
    select ${columns} from ${table} where tenant_id = (select $1::uuid) and id = wanted.id and deleted_at is null limit 1 ${lock}
  ) ${alias}`;
}
