import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/**
 * The start of a query for records outside archive and trash that match a condition over `t`, and for the survivors of
 * merged records that match it (`via`). `$1` is the tenant.
 */
export const surviving = (table: string, condition: string): string => `with recursive line as (
    select t.id, t.merged_into_id, false as via from ${table} t where t.tenant_id = $1 and t.deleted_at is null
      and (t.archived_at is null or t.merged_into_id is not null) and ${condition}
    union select t.id, t.merged_into_id, true from line
      join ${table} t on t.tenant_id = $1 and t.id = line.merged_into_id)
  select t.id from line join ${table} t on t.tenant_id = $1 and t.id = line.id
  where t.deleted_at is null and t.archived_at is null`;

/** Locks rows so that no new reference to them can be created before the transaction ends. */
export function lockWhole(table: string, ids: string[]): Statement {
  const lock = `select from ${table} where tenant_id = $1 and id = any($2) order by id for update`;
  return statement(lock, [currentTenant().id, ids]);
}
