import { Injectable } from '@nestjs/common';
import { parseGrants, type RoleGrant, SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { systemRoles } from '#libs/members/role-book.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AccessReviewers } from './access-review.parts.js';
import type { Candidate } from './population.js';

const DECIDE = 'access-reviews:decide';
const OWN_ROLES = `select id, permissions from data.roles where tenant_id = $1`;
const ELIGIBLE = `select m.id, bool_or(a.role_id = any($3::uuid[])) as "runsTenant"
  from data.memberships m join data.role_assignments a on a.tenant_id = m.tenant_id and a.membership_id = m.id
  where m.tenant_id = $1 and m.status = 'active' and m.deleted_at is null and a.role_id = any($2::uuid[])
  group by m.id order by bool_or(a.role_id = $4) desc, m.id`;
const LEADS = `select id, lead_id as "leadId" from data.workspaces
  where tenant_id = $1 and lead_id is not null and archived_at is null`;

/** Assigns the items of a review to people who may decide them. */
@Injectable()
export class Reviewers {
  /**
   * The reviewer of each item, in the same order. Nobody reviews their own access.
   * @throws Problem 409 `no_reviewer` if an item would have none.
   */
  async assign(
    transaction: Transaction,
    { strategy, membershipIds = [] }: AccessReviewers,
    items: readonly Candidate[],
  ): Promise<string[]> {
    const { owner, admin } = SYSTEM_ROLE_IDS;
    const deciding = await this.decidingRoles(transaction);
    const eligible = await transaction.query<{ id: string; runsTenant: boolean }>(
      statement(ELIGIBLE, [currentTenant().id, deciding, [owner, admin], owner]),
    );
    const leads = await this.leads(transaction);
    const may = new Set(eligible.map(({ id }) => id));
    const last = eligible.filter(({ runsTenant }) => runsTenant).map(({ id }) => id);
    return items.map(({ subject, memberId, managerId, workspaceIds }, index) => {
      const named = turned(membershipIds, index);
      const ofWorkspaces = workspaceIds.map((id) => leads.get(id));
      const chain = {
        manager: [managerId, ...ofWorkspaces, ...named],
        workspace_lead: [...ofWorkspaces, ...named],
        named,
      }[strategy];
      const found = [...chain, ...last].find((id) => id && id !== memberId && may.has(id));
      if (found) return found;
      throw new Problem(
        'no_reviewer',
        `Nobody may review ${subject.name}: there is no other reviewer, owner or administrator.`,
      );
    });
  }

  private async decidingRoles(transaction: Transaction): Promise<string[]> {
    const own = await transaction.query<{ id: string; permissions: string[] }>(
      statement(OWN_ROLES, [currentTenant().id]),
    );
    const all: { id: string; grants: readonly RoleGrant[] }[] = [
      ...systemRoles(),
      ...own.map(({ id, permissions }) => ({ id, grants: parseGrants(permissions) })),
    ];
    return all.filter(({ grants }) => grants.some(({ permission }) => permission === DECIDE)).map(({ id }) => id);
  }

  private async leads(transaction: Transaction): Promise<Map<string, string>> {
    const rows = await transaction.query<{ id: string; leadId: string }>(statement(LEADS, [currentTenant().id]));
    return new Map(rows.map(({ id, leadId }) => [id, leadId]));
  }
}

/** The ids from a place on, so that items are spread evenly. */
function turned(ids: readonly string[], place: number): string[] {
  const start = ids.length === 0 ? 0 : place % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)];
}
