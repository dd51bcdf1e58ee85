/**
 * As SQL, what stands behind FROM to read the live rows of a table whose ids are in `$2`, of the tenant `$1`, in the order of
 * their ids. Each is looked up by itself: given a list of ids PostgreSQL walks all rows of the tenant wherever it takes that
 * for cheaper. And the tenant stands in a subquery, so that none is known to the planner: one that its statistics know with a
 * row or two would be walked even for one id, however many rows it has by now. For pages and batches, up to some hundred
 * ids: for thousands one walk is right, and many would be dear. `Source:` migration 1763700000030.
 */
export function byIds(table: string, alias: string, columns: string, lock = ''): string {
  return `(select distinct unnest($2::uuid[]) as id order by id) wanted cross join lateral (
    select ${columns} from ${table} where tenant_id = (select $1::uuid) and id = wanted.id and deleted_at is null limit 1 ${lock}
  ) ${alias}`;
}
