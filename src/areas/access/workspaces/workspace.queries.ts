import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

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

/** Position of a workspace below a parent. */
export interface Family {
  /** Depth of the parent; null when it does not exist. */
  above: number | null;
  /** Height of the workspace's own subtree. */
  below: number;
  /** Whether the parent is part of the workspace. */
  circle: boolean;
}

/** The {@link Family} of a workspace (null for a new one) below a parent. */
export const family = (id: string | null, parentId: string): Statement =>
  statement(FAMILY, [currentTenant().id, parentId, id]);

/** Returns a row if the workspace has children that are not archived. */
export const children = (id: string): Statement => statement(CHILDREN, [currentTenant().id, id]);
