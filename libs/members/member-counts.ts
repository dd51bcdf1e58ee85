import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Kinds of member counts. Triggers maintain them; see migration 1763700000031. */
export type Counted = 'seat' | 'role' | 'workspace' | 'scim_user' | 'scim_group';

const COUNTS = `select subject_id as id, sum(members)::integer as count from data.member_counts
  where tenant_id = $1 and kind = $2 and subject_id = any($3::uuid[]) group by subject_id`;

/** Number of members of each subject that has ever had one. The cost does not grow with the tenant. */
export async function memberCounts(
  database: Database,
  kind: Counted,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const query = statement(COUNTS, [currentTenant().id, kind, ids]);
  const rows = await database.read<{ id: string; count: number }>(query);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** SQL expression for the member count of a subject; `tenant` and `subject` are SQL expressions. */
export function countOf(kind: Counted, tenant: string, subject: string): string {
  return `(select coalesce(sum(n.members), 0)::integer from data.member_counts n
    where n.tenant_id = ${tenant} and n.kind = '${kind}' and n.subject_id = ${subject})`;
}
