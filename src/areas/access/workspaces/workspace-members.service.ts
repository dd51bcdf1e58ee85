import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { MANUAL, type Member, roleIdsOf } from '#libs/members/member.js';
import { added } from '#libs/members/member-guards.js';
import { type MemberChange, Members } from '#libs/members/members.js';
import { RoleBook } from '#libs/members/role-book.js';
import { type TransferJob, Transfers } from '#libs/members/transfers.js';
import { onePage } from '#libs/resource/lists/page-of-all.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { refuseToRaise } from './workspace-access.js';
import { type Workspace, workspaces } from './workspace.js';
import { WorkspaceMembersRepository } from './workspace-members.repository.js';
import type {
  AddedWorkspaceMember,
  AddedWorkspaceMembers,
  AddWorkspaceMembers,
  NewWorkspaceMember,
  RemovedWorkspaceMembers,
  RemoveWorkspaceMembersQuery,
  WorkspaceMemberQuery,
  WorkspaceMemberView,
} from './workspace-member.requests.js';
import { WorkspacesService } from './workspaces.service.js';

/** The members of workspaces. */
@Injectable()
export class WorkspaceMembersService {
  constructor(
    private readonly repository: WorkspaceMembersRepository,
    private readonly workspaces: WorkspacesService,
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly transfers: Transfers,
    private readonly database: Database,
    private readonly kit: ResourceKit,
  ) {}

  /** @throws Problem 404. */
  async list(id: string, query: WorkspaceMemberQuery): Promise<Page<WorkspaceMemberView>> {
    await this.workspaces.find(id);
    return this.repository.page(id, query);
  }

  /**
   * Adds members, or changes their role in the workspace. A refused member does not affect the others. @throws Problem
   * 404.
   */
  async add(id: string, { members, ...one }: AddWorkspaceMembers): Promise<AddedWorkspaceMembers> {
    const isOne = members === undefined;
    const wanted = isOne ? [one] : [...members, ...(Object.keys(one).length > 0 ? [one] : [])];
    refuseUnclear(wanted, isOne);
    return this.database.transaction(async (transaction) => {
      const workspace = await this.lock(transaction, id);
      const data: AddedWorkspaceMember[] = [];
      for (const [index, each] of wanted.entries()) {
        const place = isOne ? '' : `/members/${index}`;
        try {
          const member = await transaction.savepoint(() => this.addOne(transaction, workspace, each, place));
          data.push({ ok: true, member, error: null });
        } catch (error) {
          if (!(error instanceof Problem) || error.status >= 500) throw error;
          if (isOne) throw error;
          data.push({ ok: false, member: null, error: error.toDocument(currentScope().requestId) as never }); // its schema
        }
      }
      return onePage(data);
    });
  }

  /**
   * Removes members; with `reassignTo`, their open records of the workspace are transferred.
   * @throws Problem 404, 400 for a member who is not in it, 409 `managed_by_scim`.
   */
  async remove(id: string, query: RemoveWorkspaceMembersQuery): Promise<RemovedWorkspaceMembers> {
    const { membershipId: ids, reassignTo } = query;
    if (ids === undefined)
      throw Problem.validation([
        { parameter: 'membershipId', code: 'required', detail: 'Specify the members to remove.' },
      ]);
    if (reassignTo !== undefined && ids.includes(reassignTo))
      throw Problem.validation([
        { parameter: 'reassignTo', code: 'same_member', detail: 'A removed member cannot receive the records.' },
      ]);
    try {
      return await this.database.transaction(async (transaction) => {
        const workspace = await this.lock(transaction, id);
        const members = await this.members.lockAll(transaction, ids);
        const present = new Map(members.filter((each) => isIn(each, id)).map((each) => [each.id, each]));
        if (ids.some((each) => !present.has(each)))
          throw Problem.validation([
            {
              parameter: 'membershipId',
              code: 'unknown_reference',
              detail: 'At least one member is not in the workspace.',
            },
          ]);
        const jobs: TransferJob[] = [];
        for (const member of present.values()) {
          if (reassignTo !== undefined) {
            const wanted = { to: reassignTo, workspaceId: id, pointer: '/reassignTo' };
            jobs.push(await this.transfers.begin(transaction, member, wanted));
          }
          await this.removeOne(transaction, workspace, member);
        }
        const reassigned = jobs.reduce((sum, { records }) => sum + records, 0);
        return { removed: present.size, reassigned, jobIds: jobs.map(({ jobId }) => jobId) };
      });
    } catch (error) {
      if (brokenReference(error) === null) throw error;
      throw Problem.validation([
        { parameter: 'reassignTo', code: 'unknown_reference', detail: 'There is no such member.' },
      ]);
    }
  }

  private async addOne(
    transaction: Transaction,
    workspace: Workspace,
    { membershipId, email, workspaceRole: wanted }: NewWorkspaceMember,
    place: string,
  ): Promise<WorkspaceMemberView> {
    const { id } = workspace;
    const member =
      membershipId === undefined
        ? await this.members.findByEmail(transaction, email!)
        : (await this.members.lockAll(transaction, [membershipId]))[0];
    if (!member || member.status === 'deactivated')
      throw Problem.validation([
        {
          pointer: `${place}/${membershipId === undefined ? 'email' : 'membershipId'}`,
          code: 'unknown_reference',
          detail: 'There is no such member.',
        },
      ]);
    const before = member.workspaces.find(({ workspaceId }) => workspaceId === id)?.workspaceRole ?? null;
    const workspaceRole = wanted ?? before ?? 'member';
    const wasIn = before !== null;
    const gifts = wasIn ? [] : added(roleIdsOf(member), workspace.defaultRoleIds);
    await refuseToRaise(transaction, this.roles, { member, place: { workspaceId: id, workspaceRole }, gifts });
    await this.refusePrivileged(transaction, gifts);
    if (workspace.leadId === member.id && workspaceRole !== 'lead')
      throw new Problem('blocked', 'The member leads the workspace; appoint another lead first.');
    const own = (given: Member['workspaces']) => given.filter(({ source }) => source === MANUAL);
    const change: MemberChange = {
      workspaces: {
        source: MANUAL,
        workspaceIds: [...new Set([...own(member.workspaces).map(({ workspaceId }) => workspaceId), id])],
        as: { [id]: workspaceRole },
      },
    };
    if (gifts.length > 0) {
      const held = member.roles.filter(({ source }) => source === MANUAL).map(({ roleId }) => roleId);
      change.roles = { source: MANUAL, roleIds: [...held, ...gifts] };
    }
    const changed = await this.members.change(transaction, member, change, 'platform');
    if (changed === member && place === '')
      throw new Problem('duplicate', `The member already is a ${workspaceRole} of the workspace.`);
    const roles = { from: before, to: workspaceRole };
    if (changed !== member) this.audit(transaction, workspace, 'member_added', { id: member.id, workspaceRole: roles });
    return (await this.repository.find(id, member.id))!;
  }

  /** Refuses default roles that have become privileged since they were set. @throws Problem 409 `blocked`. */
  private async refusePrivileged(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const roles = await this.roles.resolve(transaction, roleIds, '/membershipId');
    if (roles.some(({ isPrivileged }) => isPrivileged))
      throw new Problem(
        'blocked',
        'A default role of the workspace has become privileged; remove it from the workspace first.',
      );
  }

  private async removeOne(transaction: Transaction, workspace: Workspace, member: Member): Promise<void> {
    const { id } = workspace;
    const places = member.workspaces.filter(({ workspaceId }) => workspaceId === id);
    if (places.some(({ source }) => source !== MANUAL))
      throw new Problem('managed_by_scim', 'Grants of an identity provider can only be revoked by that provider.', {
        extensions: { managedFields: ['workspaceIds'] },
      });
    const workspaceIds = member.workspaces
      .filter((each) => each.source === MANUAL && each.workspaceId !== id)
      .map(({ workspaceId }) => workspaceId);
    await this.members.change(transaction, member, { workspaces: { source: MANUAL, workspaceIds } }, 'platform');
    const workspaceRole = { from: places[0]!.workspaceRole, to: null };
    this.audit(transaction, workspace, 'member_removed', { id: member.id, workspaceRole });
  }

  /** Locks a workspace that the caller manages. @throws Problem 404, 403, 409 `record_locked`. */
  private async lock(transaction: Transaction, id: string): Promise<Workspace> {
    const workspace = await this.workspaces.lock(transaction, id);
    if (workspace.archivedAt !== null) throw new Problem('record_locked', 'The workspace is archived.');
    return workspace;
  }

  /** Writes the audit entry for a change of workspace members; the event is that of the membership. */
  private audit(
    transaction: Transaction,
    { id, name }: Workspace,
    verb: 'member_added' | 'member_removed',
    member: { id: string; workspaceRole: { from: string | null; to: string | null } },
  ): void {
    const changes = { membershipId: { from: null, to: member.id }, workspaceRole: member.workspaceRole };
    const { type } = workspaces;
    const fact = { action: `${type}.${verb}`, outcome: 'success', riskLevel: 'medium', changes } as const;
    transaction.write(auditStatement(currentScope(), { ...fact, target: { type, id, name } }, this.kit.now()));
  }
}

function isIn({ workspaces }: Member, id: string): boolean {
  return workspaces.some(({ workspaceId }) => workspaceId === id);
}

/** @throws Problem 400 unless each has an id or an address. */
function refuseUnclear(wanted: readonly NewWorkspaceMember[], isOne: boolean): void {
  const violations = wanted.flatMap(({ membershipId, email }, index) => {
    if ((membershipId === undefined) !== (email === undefined)) return [];
    const pointer = `${isOne ? '' : `/members/${index}`}/membershipId`;
    const code = membershipId === undefined ? 'required' : 'ambiguous';
    return [{ pointer, code, detail: 'Specify either a membership or an e-mail address.' }];
  });
  if (violations.length > 0) throw Problem.validation(violations);
}
