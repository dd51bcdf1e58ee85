import { Injectable, type OnModuleInit } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fieldsOf } from '#libs/http/field.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { MANUAL, type Member, MEMBERSHIP_TYPE, roleIdsOf } from '#libs/members/member.js';
import { added } from '#libs/members/member-guards.js';
import { type MemberChange, Members } from '#libs/members/members.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import { PRIVILEGED_GATE, RoleDoor } from '#libs/members/role-door.js';
import { Transfers } from '#libs/members/transfers.js';
import { checkPrecondition } from '#libs/resource/records/precondition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type ChangedMembership, MembershipView, type MembershipEffect, UpdateMembership } from './membership.dto.js';
import { MembershipsService } from './memberships.service.js';

const PERMISSION = 'members:manage';
const ACTION = 'update';

/** Changes of members by administrators. */
@Injectable()
export class MembershipChangesService implements OnModuleInit {
  constructor(
    private readonly memberships: MembershipsService,
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly transfers: Transfers,
    private readonly door: RoleDoor,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const fields = [...fieldsOf(MembershipView).keys(), ...fieldsOf(UpdateMembership).keys()];
    this.registry.addCommands({ type: MEMBERSHIP_TYPE, gate: PRIVILEGED_GATE, fields, executor: this });
  }

  /**
   * Applies a merge patch. Granting or revoking a privileged role is a protected operation and may require approval by
   * a gate. Changing the status of a member with a privileged role is also protected, but not gated.
   * @throws Problem 404, 412, 403 `step_up_required`, 409 `approval_pending`, and as `Members.change`.
   */
  async update(id: string, patch: UpdateMembership): Promise<ChangedMembership> {
    return this.unit(async (transaction) => {
      const member = await this.members.lock(transaction, id);
      checkPrecondition(member.version);
      const moved = await this.movedRoles(transaction, member, patch);
      if (await this.movesPrivileged(transaction, member, patch)) requireProtected(this.clock.nowMs());
      const order = {
        operation: 'admin.memberships.update',
        action: ACTION,
        summary: 'Grant or revoke a privileged role',
        permission: PERMISSION,
        object: MEMBERSHIP_TYPE,
        row: member,
        input: { ...patch },
        facts: async () => ({ ...(await this.memberships.view(member)), ...patch }),
      };
      const work = () => this.apply(transaction, member, patch);
      const pendingApproval = await this.door.hold(transaction, moved, order, work);
      if (!pendingApproval) return work();
      return { ...(await this.memberships.view(member)), effects: [], pendingApproval };
    });
  }

  /** Executes an approved change on behalf of the requester. @throws Problem 409 `stale_target`. */
  async execute(_action: string, id: string, input: Record<string, unknown>, version: number): Promise<unknown> {
    return this.unit(async (transaction) => {
      const member = await this.members.lock(transaction, id);
      requirePermission(PERMISSION);
      if (member.version !== version)
        throw new Problem('stale_target', 'The membership has changed since approval was requested.');
      return this.apply(transaction, member, input);
    });
  }

  /** Maps a database error to a problem; other errors are returned unchanged. */
  translate(error: unknown): unknown {
    const pointer = brokenReference(error);
    if (pointer === null) return error;
    return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'There is no such member.' }]);
  }

  private async apply(transaction: Transaction, member: Member, patch: UpdateMembership): Promise<ChangedMembership> {
    const before = await this.memberships.view(member);
    const changed = await this.members.change(transaction, member, changeOf(member, patch), 'caller');
    const after = await this.memberships.view(changed);
    const effects = [...effectsOf(before, after)];
    if (patch.transferOwnedTo !== undefined) {
      const wanted = { to: patch.transferOwnedTo, workspaceId: null, pointer: '/transferOwnedTo' };
      const { jobId, records } = await this.transfers.begin(transaction, member, wanted);
      effects.push({ type: 'ownership_transfer', count: records, jobId });
    }
    return { ...after, effects, pendingApproval: null };
  }

  /** The roles that the patch grants or revokes. */
  private async movedRoles(transaction: Transaction, member: Member, { roleIds }: UpdateMembership): Promise<Role[]> {
    if (roleIds === undefined) return [];
    const held = roleIdsOf(member);
    await this.roles.resolve(transaction, roleIds, '/roleIds');
    const moved = [...added(held, roleIds), ...added(roleIds, held)];
    return this.roles.resolve(transaction, moved, '/roleIds');
  }

  /** Whether the patch changes the status of a member with a privileged role. */
  private async movesPrivileged(
    transaction: Transaction,
    member: Member,
    { status }: UpdateMembership,
  ): Promise<boolean> {
    if (status === undefined || status === member.status) return false;
    const roles = await this.roles.resolve(transaction, roleIdsOf(member), '/roleIds');
    return roles.some(({ isPrivileged }) => isPrivileged);
  }

  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw this.translate(error);
    }
  }
}

/**
 * Converts a patch to changes of manual grants; grants of identity providers stay. @throws Problem 409
 * `managed_by_scim`.
 */
function changeOf(member: Member, { roleIds, workspaceIds, status, title, reason }: UpdateMembership): MemberChange {
  const roles = member.roles.map(({ roleId: id, source }) => ({ id, source }));
  const places = member.workspaces.map(({ workspaceId: id, source }) => ({ id, source }));
  return {
    ...(status === undefined ? {} : { status }),
    ...(title === undefined ? {} : { title }),
    ...(roleIds ? { roles: { source: MANUAL, roleIds: byHand('roleIds', roles, roleIds) } } : {}),
    ...(workspaceIds
      ? { workspaces: { source: MANUAL, workspaceIds: byHand('workspaceIds', places, workspaceIds) } }
      : {}),
    reason: reason ?? null,
  };
}

/** The ids to grant manually so that, together with grants of other sources, exactly the wanted ones result. */
function byHand(field: string, given: readonly { id: string; source: string }[], wanted: readonly string[]): string[] {
  const others = new Set(given.filter(({ source }) => source !== MANUAL).map(({ id }) => id));
  const own = new Set(given.filter(({ source }) => source === MANUAL).map(({ id }) => id));
  const missing = added(wanted, [...others]);
  if (missing.length > 0)
    throw new Problem('managed_by_scim', 'Grants of an identity provider can only be revoked by that provider.', {
      extensions: { managedFields: [field] },
    });
  return wanted.filter((id) => own.has(id) || !others.has(id));
}

function* effectsOf(before: MembershipView, after: MembershipView): Generator<MembershipEffect> {
  const sessions = before.activeSessions - after.activeSessions;
  const keys = before.apiKeyCount - after.apiKeyCount;
  if (sessions > 0) yield { type: 'sessions_ended', count: sessions, jobId: null };
  if (keys > 0) yield { type: 'keys_revoked', count: keys, jobId: null };
  if (before.status === 'active' && after.status === 'suspended' && after.apiKeyCount > 0)
    yield { type: 'keys_paused', count: after.apiKeyCount, jobId: null };
}
