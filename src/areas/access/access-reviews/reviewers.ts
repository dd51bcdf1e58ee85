import { Injectable } from '@nestjs/common';
import { parseGrants, type RoleGrant, SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { keysOf } from '#libs/auth/second-person.js';
import { Database } from '#libs/database/database.js';
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
  constructor(private readonly database: Database) {}

  /**
   * The reviewer of each item, in the same order. Nobody reviews their own access, or a key that they made.
   * @throws Problem 409 `no_reviewer` if an item would have none.
   */
  async assign(
    transaction: Transaction,
    { strategy, membershipIds = [] }: AccessReviewers,
    items: readonly Candidate[],
  ): Promise<string[]> {
    const eligible = await this.eligible(transaction);
    const leads = await this.leads(transaction);
    const may = new Set(eligible.map(({ id }) => id));
    const last = eligible.filter(({ runsTenant }) => runsTenant).map(({ id }) => id);
    const isOwn = this.ownership(items);
    const assigned: string[] = [];
    for (const [index, item] of items.entries()) {
      const { subject, managerId, workspaceIds } = item;
      const named = turned(membershipIds, index);
      const ofWorkspaces = workspaceIds.map((id) => leads.get(id));
      const chain = {
        manager: [managerId, ...ofWorkspaces, ...named],
        workspace_lead: [...ofWorkspaces, ...named],
        named,
      }[strategy];
      const candidates = new Set([...chain, ...last].filter((id) => id && may.has(id)) as string[]);
      const found = await firstOf(candidates, async (id) => !(await isOwn(id, item)));
      if (found === null)
        throw new Problem(
          'no_reviewer',
          `Nobody may review ${subject.name}: there is no other reviewer, owner or administrator.`,
        );
      assigned.push(found);
    }
    return assigned;
  }

  /** Whether an active member other than this one may decide items. */
  async hasOther(transaction: Transaction, memberId: string): Promise<boolean> {
    return (await this.eligible(transaction)).some(({ id }) => id !== memberId);
  }

  /** The active members who may decide, owners first. */
  private async eligible(transaction: Transaction): Promise<{ id: string; runsTenant: boolean }[]> {
    const { owner, admin } = SYSTEM_ROLE_IDS;
    const deciding = await this.decidingRoles(transaction);
    return transaction.query(statement(ELIGIBLE, [currentTenant().id, deciding, [owner, admin], owner]));
  }

  /** Tells whether an item is about a member's own access: their membership, exceptions, or keys that they made. */
  private ownership(items: readonly Candidate[]): (memberId: string, item: Candidate) => Promise<boolean> {
    const keys = items.filter(({ subject }) => subject.type === 'api_key').map(({ subject }) => subject.id);
    const known = new Map<string, Promise<ReadonlySet<string>>>();
    return async (id, { subject, memberId }) => {
      if (id === memberId || subject.type !== 'api_key') return id === memberId;
      if (!known.has(id)) known.set(id, keysOf(this.database, id, keys));
      return (await known.get(id)!).has(subject.id);
    };
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

/** The first that passes a test; null if none does. */
async function firstOf(ids: Iterable<string>, test: (id: string) => Promise<boolean>): Promise<string | null> {
  for (const id of ids) if (await test(id)) return id;
  return null;
}

/** The ids from a place on, so that items are spread evenly. */
function turned(ids: readonly string[], place: number): string[] {
  const start = ids.length === 0 ? 0 : place % ids.length;
  return [...ids.slice(start), ...ids.slice(0, start)];
}
