import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import type { MemberStatus, WorkspaceRole } from '#libs/members/member.js';
import type { ActorStamp } from '#libs/resource/types/record.entity.js';
import { PAGE_SIZE } from '#libs/resource/lists/page-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { WorkspaceMemberQuery, WorkspaceMemberView } from './workspace-member.requests.js';

interface Row {
  id: string;
  name: string;
  email: string;
  status: MemberStatus;
  workspaceRole: WorkspaceRole;
  addedAt: string;
  addedBy: ActorStamp;
  source: string;
}

/**
 * If several sources grant a membership, the one with the highest role counts. Ordered by membership id. Member and
 * source are found by subqueries that PostgreSQL cannot turn into joins, because it would underestimate the joins and
 * read the whole workspace for one page.
 */
const places = (which: string) => `
  select m.id, m.name, m.email, m.status, p.workspace_role as "workspaceRole", p.added_at as "addedAt",
    p.added_by as "addedBy", p.source
  from data.workspace_members p cross join lateral (
    select id, name, email, status from data.memberships
    where tenant_id = p.tenant_id and id = p.membership_id and deleted_at is null limit 1) m
  where p.tenant_id = $1 and p.workspace_id = $2 and p.source = (
      select source from data.workspace_members
      where tenant_id = p.tenant_id and workspace_id = p.workspace_id and membership_id = p.membership_id
      order by array_position(array['lead', 'member', 'guest'], workspace_role), source limit 1)
    and ${which}`;
const PAGE = `${places('p.membership_id > $3')}
    and ($4::uuid is null or exists (select 1 from data.role_assignments a
      where a.tenant_id = p.tenant_id and a.membership_id = p.membership_id and a.role_id = $4))
    and ($5::text is null or position(data.fold($5) in data.fold(m.name || ' ' || m.email)) > 0)
  order by p.membership_id limit $6`;
const PLACE = places('p.membership_id = $3');
/** Smaller than any id. */
const NOBODY = NIL_UUID;

/** The members of a workspace. */
@Injectable()
export class WorkspaceMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async page(workspaceId: string, query: WorkspaceMemberQuery): Promise<Page<WorkspaceMemberView>> {
    const { limit = PAGE_SIZE, cursor, roleId = null, q = null } = query;
    const purpose = JSON.stringify([currentTenant().id, 'workspace_members', workspaceId, roleId, q]);
    const [after] = cursor === undefined ? [NOBODY] : this.cursors.read(cursor, purpose);
    const rows = await this.read(PAGE, workspaceId, [after, roleId, q, limit + 1]);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const nextCursor = hasMore ? this.cursors.write([rows.at(-1)!.id], purpose) : null;
    return { data: rows.map(present), page: { limit, hasMore, nextCursor } };
  }

  /** A member of a workspace; null when they are not in it. */
  async find(workspaceId: string, memberId: string): Promise<WorkspaceMemberView | null> {
    const [row] = await this.read(PLACE, workspaceId, [memberId]);
    return row ? present(row) : null;
  }

  private read(text: string, workspaceId: string, values: unknown[]): Promise<Row[]> {
    return this.database.read<Row>(statement(text, [currentTenant().id, workspaceId, ...values]));
  }
}

function present({ id, name, email, status, ...place }: Row): WorkspaceMemberView {
  return { membership: { id, name, email, status }, ...place };
}
