import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** What members are counted for. `Source:` migration 1763700000031. */
export type Counted = 'seat' | 'role' | 'workspace' | 'scim_user' | 'scim_group';

const COUNTS = `select subject_id as id, sum(members)::integer as count from data.member_counts
  where tenant_id = $1 and kind = $2 and subject_id = any($3::uuid[]) group by subject_id`;

/** Members of each of these subjects that has ever had any. Reads as much in a large tenant as in a small one. */
export async function memberCounts(
  database: Database,
  kind: Counted,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const query = statement(COUNTS, [currentTenant().id, kind, ids]);
  const rows = await database.read<{ id: string; count: number }>(query);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** As SQL, the members that one subject counts; `tenant` and `subject` are expressions. */
export function countOf(kind: Counted, tenant: string, subject: string): string {
  return `(select coalesce(sum(n.members), 0)::integer from data.member_counts n
    where n.tenant_id = ${tenant} and n.kind = '${kind}' and n.subject_id = ${subject})`;
}
