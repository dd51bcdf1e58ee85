import { Injectable } from '@nestjs/common';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentScope, stamp } from '#libs/tenancy/scope.js';
import { type Doer, type Member, roleIdsOf, type WorkspaceRole } from './member.js';
import { added } from './member-guards.js';
import { MembersRepository } from './members.repository.js';
import { RoleBook } from './role-book.js';
import { WorkspaceBook } from './workspace-book.js';

/** All roles granted by one source. */
export interface GivenRoles {
  source: string;
  roleIds: readonly string[];
}

/** All workspaces granted by one source. */
export interface GivenWorkspaces {
  source: string;
  workspaceIds: readonly string[];
  /** Role in each workspace. Defaults to the present role there, or to `member`. */
  as?: Readonly<Record<string, WorkspaceRole>>;
}

type Place = Member['workspaces'][number];

/** Roles and workspaces granted to members. Each source revokes only what it granted itself. */
@Injectable()
export class MemberGifts {
  constructor(
    private readonly repository: MembersRepository,
    private readonly roles: RoleBook,
    private readonly workspaces: WorkspaceBook,
    private readonly clock: Clock,
  ) {}

  /** The member with the grants of a source replaced by new ones. */
  async given(
    transaction: Transaction,
    member: Member,
    roles: GivenRoles | undefined,
    workspaces: GivenWorkspaces | undefined,
    by: Doer,
  ): Promise<Member> {
    const after = { ...member };
    if (roles) {
      const { source, roleIds } = roles;
      const fresh = added(roleIdsOf(member), roleIds);
      await this.roles.resolve(transaction, roleIds, '/roleIds');
      if (by === 'caller') await this.roles.requireGrantable(transaction, fresh, '/roleIds');
      const others = member.roles.filter((each) => each.source !== source);
      after.roles = [...others, ...roleIds.map((roleId) => ({ roleId, source }))];
    }
    if (workspaces) {
      const { source, workspaceIds, as = {} } = workspaces;
      const own = new Map(member.workspaces.filter((e) => e.source === source).map((e) => [e.workspaceId, e]));
      await this.workspaces.requireOpen(transaction, workspaceIds, new Set(own.keys()), '/workspaceIds');
      const others = member.workspaces.filter((each) => each.source !== source);
      const kept = workspaceIds.map((workspaceId) => ({
        workspaceId,
        source,
        workspaceRole: as[workspaceId] ?? own.get(workspaceId)?.workspaceRole ?? 'member',
      }));
      after.workspaces = [...others, ...kept];
    }
    return after;
  }

  /** The statements that grant and revoke the difference. */
  *statements(before: Member, after: Member): Generator<Statement> {
    const { id } = after;
    const at = stamp(this.clock);
    const sources = new Set([...before.roles, ...before.workspaces, ...after.roles, ...after.workspaces]);
    for (const source of new Set([...sources].map((each) => each.source))) {
      const [hadRoles, hasRoles] = [before, after].map(({ roles }) =>
        roles.filter((each) => each.source === source).map(({ roleId }) => roleId),
      ) as [string[], string[]];
      const [giveRoles, takeRoles] = [added(hadRoles, hasRoles), added(hasRoles, hadRoles)];
      if (giveRoles.length > 0) yield this.repository.giveRoles(id, giveRoles, source, at);
      if (takeRoles.length > 0) yield this.repository.takeRoles(id, takeRoles, source);
      const [had, has] = [before, after].map(
        ({ workspaces }) =>
          new Map(workspaces.filter((each) => each.source === source).map((each) => [each.workspaceId, each])),
      ) as [Map<string, Place>, Map<string, Place>];
      const leave = added([...has.keys()], [...had.keys()]);
      const join = [...has.values()].filter(
        ({ workspaceId, workspaceRole }) => had.get(workspaceId)?.workspaceRole !== workspaceRole,
      );
      if (join.length > 0) yield this.repository.joinWorkspaces(id, join, { source, at, by: currentScope().actor });
      if (leave.length > 0) yield* this.repository.leaveWorkspaces(id, leave, source, at);
    }
  }
}
