import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Guard } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { Problem } from '#libs/kernel/problem.js';
import { Clock } from '#libs/kernel/clock.js';
import { type Member, MEMBERSHIP_TYPE } from '#libs/members/member.js';
import { factsOf } from '#libs/members/member.dto.js';
import { Members } from '#libs/members/members.js';
import { MembersRepository } from '#libs/members/members.repository.js';
import { Seats } from '#libs/members/seats.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { RecordSights } from '#libs/resource/access/record-sights.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { withinReach } from './member-reach.js';
import {
  type MembershipPage,
  membershipList,
  type MembershipView,
  type ResetSession,
  type SessionsReset,
} from './membership.dto.js';
import { type MemberDetails, MembershipsRepository } from './memberships.repository.js';

const READ = 'members:read';
const REVOKE = 'sessions:revoke';
const MANAGE = 'members:manage';
const LIVING: Guard = () => 't.deleted_at is null';

/** Lists members and ends their sessions. */
@Injectable()
export class MembershipsService implements OnModuleInit {
  constructor(
    private readonly repository: MembershipsRepository,
    private readonly rows: MembersRepository,
    private readonly members: Members,
    private readonly seats: Seats,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sights: RecordSights,
    private readonly registry: ResourceRegistry,
  ) {}

  onModuleInit(): void {
    // Everybody may know the names of the members that a record names, as in its `createdBy`.
    this.registry.addLabels({ type: MEMBERSHIP_TYPE, table: MEMBER.table, known: () => LIVING });
    this.sights.add(':membershipId', async (id) => {
      if (!(await this.repository.find(id, withinReach(REVOKE, MANAGE)))) throw Problem.notFound();
    });
  }

  async list({ include, ...query }: Record<string, unknown>): Promise<MembershipPage> {
    // `q` is a filter of this list, not a search in the index of a record type.
    const request = { ...toListRequest(membershipList, query, this.clock.now().toISOString()), q: null };
    const { data, page } = await this.repository.page(request, membershipList, withinReach(READ));
    const ids = data.map(({ id }) => id);
    const found = new Map((await this.rows.find(ids)).map((member) => [member.id, member]));
    const members = ids.map((id) => found.get(id)).filter((member) => member !== undefined);
    return {
      data: await this.views(members),
      page,
      seats: await this.seats.read(),
      invitations: include === undefined ? null : await this.repository.openInvitations(),
    };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<MembershipView> {
    const [row] = (await this.repository.find(id, withinReach(READ))) ? await this.rows.find([id]) : [];
    if (!row) throw Problem.notFound();
    return this.view(row);
  }

  /** The representation of a member in the API. */
  async view(member: Member): Promise<MembershipView> {
    const [view] = await this.views([member]);
    return view!;
  }

  /** Ends all sessions of a member. @throws Problem 404, and 403 for a member that the caller may only read. */
  async reset(id: string, { reason, includeApiKeys, includeOauthGrants }: ResetSession): Promise<SessionsReset> {
    return this.database.transaction(async (transaction) => {
      if (!(await this.repository.find(id, withinReach(READ, REVOKE)))) throw Problem.notFound();
      if (!(await this.repository.find(id, withinReach(REVOKE))))
        throw new Problem('permission_denied', `The permission ${REVOKE} does not reach this member.`);
      const member = await this.members.lock(transaction, id);
      checkPrecondition(member.version);
      const keys = includeApiKeys ?? false;
      const grants = includeOauthGrants ?? true;
      return this.members.endSessions(transaction, member, { keys, grants, reason: reason ?? null });
    });
  }

  private async views(members: readonly Member[]): Promise<MembershipView[]> {
    if (members.length === 0) return [];
    const details = await this.repository.details(members.map(({ id }) => id));
    return members.map((member) => present(member, details.get(member.id)!));
  }
}

function present(member: Member, { credentials, employeeId }: MemberDetails): MembershipView {
  const { multiFactorAt = null, methods = [], activeSessions = 0, apiKeyCount = 0 } = credentials ?? {};
  return {
    ...factsOf(member),
    userId: member.userId,
    email: member.email,
    employeeId,
    lastActiveAt: member.lastActiveAt,
    mfa: { satisfied: multiFactorAt !== null, methods, at: multiFactorAt },
    activeSessions,
    apiKeyCount,
  };
}
