import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { memberCounts } from '#libs/members/member-counts.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Workspace } from './workspace.entity.js';

// Who moves workspaces does so one after the other: two moves that are right alone can make a circle together.
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
const HAS_CHILDREN = `select exists (
  select 1 from data.workspaces where tenant_id = $1 and parent_id = $2 and archived_at is null) as yes`;

/** How a workspace would stand below another one. */
export interface Family {
  /** Levels from the top down to the parent; null when there is no such workspace. */
  above: number | null;
  /** Levels from the workspace down to its deepest. */
  below: number;
  /** Whether the parent is in the workspace itself. */
  circle: boolean;
}

@Injectable()
export class WorkspacesRepository extends ResourceRepository<Workspace> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Workspace);
  }

  memberCounts(ids: readonly string[]): Promise<Map<string, number>> {
    return memberCounts(this.database, 'workspace', ids);
  }

  /** How a workspace would stand below a parent, while nobody else moves one. */
  async family(transaction: Transaction, id: string, parentId: string): Promise<Family> {
    transaction.write(statement(ONE_BY_ONE, [currentTenant().id]));
    const [row] = await transaction.query<Family>(statement(FAMILY, [currentTenant().id, parentId, id]));
    return row!;
  }

  async hasChildren(transaction: Transaction, id: string): Promise<boolean> {
    const [row] = await transaction.query<{ yes: boolean }>(statement(HAS_CHILDREN, [currentTenant().id, id]));
    return row!.yes;
  }
}
