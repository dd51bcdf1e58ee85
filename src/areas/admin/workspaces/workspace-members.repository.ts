import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { MemberStatus, WorkspaceRole } from '#libs/members/member.js';
import type { ActorStamp } from '#libs/resource/record.entity.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { WorkspaceMemberQuery, WorkspaceMemberView } from './workspace-member.dto.js';

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

// Of several sources for one place the one that gives most counts; the order is that of the memberships.
const PAGE = `
  select m.id, m.name, m.email, m.status, p.workspace_role as "workspaceRole", p.added_at as "addedAt",
    p.added_by as "addedBy", p.source
  from data.memberships m cross join lateral (
    select * from data.workspace_members p
    where p.tenant_id = m.tenant_id and p.workspace_id = $2 and p.membership_id = m.id
    order by array_position(array['lead', 'member', 'guest'], p.workspace_role), p.source limit 1) p
  where m.tenant_id = $1 and m.deleted_at is null
    and m.id in (select membership_id from data.workspace_members where tenant_id = $1 and workspace_id = $2)
    and ($3::uuid is null or m.id > $3)
    and ($4::uuid is null or exists (select 1 from data.role_assignments a
      where a.tenant_id = $1 and a.membership_id = m.id and a.role_id = $4))
    and ($5::text is null or position(lower($5) in lower(m.name || ' ' || m.email)) > 0)
    and ($6::uuid is null or m.id = $6)
  order by m.id limit $7`;

/** Who is in a workspace. */
@Injectable()
export class WorkspaceMembersRepository {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async page(workspaceId: string, query: WorkspaceMemberQuery): Promise<Page<WorkspaceMemberView>> {
    const { limit = 50, cursor, roleId = null, q = null } = query;
    const purpose = JSON.stringify([currentTenant().id, 'workspace_members', workspaceId, roleId, q]);
    const [after] = cursor === undefined ? [null] : this.cursors.read(cursor, purpose);
    const rows = await this.read(workspaceId, [after ?? null, roleId, q, null, limit + 1]);
    const hasMore = rows.length > limit;
    if (hasMore) rows.pop();
    const nextCursor = hasMore ? this.cursors.write([rows.at(-1)!.id], purpose) : null;
    return { data: rows.map(present), page: { limit, hasMore, nextCursor } };
  }

  /** The place of a member; null when they have none. */
  async find(workspaceId: string, memberId: string): Promise<WorkspaceMemberView | null> {
    const [row] = await this.read(workspaceId, [null, null, null, memberId, 1]);
    return row ? present(row) : null;
  }

  private read(workspaceId: string, values: unknown[]): Promise<Row[]> {
    return this.database.read<Row>(statement(PAGE, [currentTenant().id, workspaceId, ...values]));
  }
}

function present({ id, name, email, status, ...place }: Row): WorkspaceMemberView {
  return { membership: { id, name, email, status }, ...place };
}
