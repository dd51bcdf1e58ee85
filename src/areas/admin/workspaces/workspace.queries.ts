import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const ONE_BY_ONE = `select pg_advisory_xact_lock(hashtextextended('workspaces|' || $1::uuid::text, 0))`;
const FAMILY = `
  with recursive above as (
    select id, parent_id, 1 as level from data.workspaces where tenant_id = $1 and id = $2
    union all
    select w.id, w.parent_id, a.level + 1 from above a join data.workspaces w on w.tenant_id = $1 and w.id = a.parent_id
      where a.level < 10),
  below as (
    select id, 1 as level from data.workspaces where tenant_id = $1 and id = $3
    union all
    select w.id, b.level + 1 from below b join data.workspaces w on w.tenant_id = $1 and w.parent_id = b.id
      where b.level < 10)
  select (select max(level) from above) as above, coalesce((select max(level) from below), 1) as below,
    exists (select 1 from above where id = $3) as circle`;
const CHILDREN = `select id from data.workspaces where tenant_id = $1 and parent_id = $2 and archived_at is null limit 1`;

/** How a workspace would stand below another one. */
export interface Family {
  /** Levels from the top down to the parent; null when there is no such workspace. */
  above: number | null;
  /** Levels from the workspace down to its deepest. */
  below: number;
  /** Whether the parent is in the workspace itself. */
  circle: boolean;
}

/** Has everybody who moves workspaces wait: two moves that are right alone can make a circle together. */
export const oneByOne = (): Statement => statement(ONE_BY_ONE, [currentTenant().id]);

/** The {@link Family} of a workspace, null for a new one, below a parent. */
export const family = (id: string | null, parentId: string): Statement =>
  statement(FAMILY, [currentTenant().id, parentId, id]);

/** A row if workspaces that are not archived are part of one. */
export const children = (id: string): Statement => statement(CHILDREN, [currentTenant().id, id]);
