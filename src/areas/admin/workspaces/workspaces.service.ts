import { Injectable } from '@nestjs/common';
import { callerOrNull, reachOf } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { MANUAL, type Member, type WorkspaceRole } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { RoleBook } from '#libs/members/role-book.js';
import { toListRequest } from '#libs/resource/list-query.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { manages, refuseToRaise, requireManager, visible } from './workspace-access.js';
import { WorkspaceRecords } from './workspace-records.js';
import {
  type CreateWorkspace,
  MAX_DEPTH,
  type UpdateWorkspace,
  workspaceList,
  type WorkspaceView,
} from './workspace.dto.js';
import type { Workspace } from './workspace.entity.js';
import { WorkspacesRepository } from './workspaces.repository.js';

/** The units of the tenant. */
@Injectable()
export class WorkspacesService {
  constructor(
    private readonly repository: WorkspacesRepository,
    private readonly records: WorkspaceRecords,
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly database: Database,
  ) {}

  async list(query: Record<string, unknown>): Promise<Page<WorkspaceView>> {
    const request = toListRequest(workspaceList, query, this.records.now());
    const { data, page } = await this.repository.page(request, workspaceList, visible());
    return { data: await this.records.views(data), page };
  }

  /** @throws Problem 404. */
  async get(id: string): Promise<WorkspaceView> {
    return this.records.view(await this.records.find(id));
  }

  /** Makes a workspace, which the caller leads unless somebody else is named. @throws Problem 400, 403, 409 `duplicate`. */
  async create(input: CreateWorkspace): Promise<WorkspaceView> {
    const { name, key = null, description = null, parentId = null, visibility = 'open', defaultRoleIds = [] } = input;
    return this.unit(async (transaction) => {
      // With a limited reach new workspaces can only be part of those that the caller manages.
      if (reachOf('workspaces:manage') !== 'tenant' && (parentId === null || !manages(parentId)))
        throw new Problem('permission_denied', 'A new workspace has to be part of one that you manage.');
      const at = this.records.now();
      const row: Workspace = {
        tenantId: currentTenant().id,
        id: uuidv7(),
        name,
        key,
        description,
        parentId,
        leadId: null,
        visibility,
        defaultRoleIds,
        isDefault: false,
        version: 1,
        createdAt: at,
        updatedAt: at,
        archivedAt: null,
      };
      await this.requireGivable(transaction, defaultRoleIds);
      await this.requirePlace(transaction, row.id, parentId);
      this.records.created(transaction, row);
      const leadId = input.leadId ?? callerOrNull()?.membershipId ?? null;
      if (leadId !== null) await this.place(transaction, row.id, leadId, 'lead');
      return this.get(row.id);
    });
  }

  /**
   * Applies a merge patch. One that changes nothing leaves the version.
   * @throws Problem 404, 412, 400, 403, 409 `tree_cycle`, 409 `record_locked`, 409 `in_use`.
   */
  async update(id: string, patch: UpdateWorkspace): Promise<WorkspaceView> {
    return this.unit(async (transaction) => {
      const row = await this.records.lock(transaction, id);
      requireManager(id);
      const { archive, ...fields } = patch;
      const isMoved = archive !== undefined && archive !== (row.archivedAt !== null);
      if (row.archivedAt !== null && !(isMoved && !archive))
        throw new Problem('record_locked', 'The workspace is archived; take it back from the archive to change it.');
      if (fields.defaultRoleIds) await this.requireGivable(transaction, fields.defaultRoleIds);
      if (fields.parentId && fields.parentId !== row.parentId)
        await this.requirePlace(transaction, id, fields.parentId);
      if (isMoved && archive) await this.refuseToArchive(transaction, row);
      const changes = { ...fields, ...(isMoved ? { archivedAt: archive ? this.records.now() : null } : {}) };
      const differs = Object.entries(changes).some(
        ([field, value]) => JSON.stringify(row[field as keyof Workspace]) !== JSON.stringify(value),
      );
      if (!differs) return this.records.view(row);
      const { leadId } = fields;
      if (leadId !== undefined && leadId !== row.leadId) {
        refuseToRaise(await this.findLead(transaction, leadId), { workspaceId: id, workspaceRole: 'lead' }, []);
        await this.place(transaction, id, leadId, 'lead');
        if (row.leadId !== null) await this.place(transaction, id, row.leadId, 'member');
      }
      return this.records.view(await this.records.changed(transaction, row, changes));
    });
  }

  /** Gives a member a place in a workspace, or another one. @throws Problem 400 `unknown_reference` at `/leadId`. */
  private async place(transaction: Transaction, id: string, memberId: string, role: WorkspaceRole): Promise<void> {
    const member = await this.findLead(transaction, memberId);
    const own = member.workspaces.filter(({ source }) => source === MANUAL).map(({ workspaceId }) => workspaceId);
    const workspaces = { source: MANUAL, workspaceIds: [...new Set([...own, id])], as: { [id]: role } };
    await this.members.change(transaction, member, { workspaces }, 'platform');
  }

  /** @throws Problem 400 `unknown_reference` at `/leadId`. */
  private async findLead(transaction: Transaction, memberId: string): Promise<Member> {
    const [member] = await this.members.lockAll(transaction, [memberId]);
    if (!member || member.status === 'deactivated')
      throw Problem.validation([{ pointer: '/leadId', code: 'unknown_reference', detail: 'There is no such member.' }]);
    return member;
  }

  /** @throws Problem 400, 403 `grant_exceeds_rights` for roles that the caller cannot give, or that run the tenant. */
  private async requireGivable(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const roles = await this.roles.requireGrantable(transaction, roleIds, '/defaultRoleIds');
    const privileged = roles.flatMap(({ isPrivileged }, index) => (isPrivileged ? [index] : []));
    if (privileged.length > 0)
      throw Problem.validation(
        privileged.map((index) => ({
          pointer: `/defaultRoleIds/${index}`,
          code: 'privileged_role',
          detail: 'A role that runs the tenant is given by name only.',
        })),
      );
  }

  /** @throws Problem 400 for a parent that does not exist or stands too deep, 409 `tree_cycle`. */
  private async requirePlace(transaction: Transaction, id: string, parentId: string | null): Promise<void> {
    if (parentId === null) return;
    const refusal = (code: string, detail: string) => Problem.validation([{ pointer: '/parentId', code, detail }]);
    const parent = await this.repository.find(parentId, visible());
    if (parent?.archivedAt !== null) throw refusal('unknown_reference', 'There is no such workspace.');
    const { above, below, circle } = await this.repository.family(transaction, id, parentId);
    if (circle) throw new Problem('tree_cycle', 'A workspace cannot be part of itself.');
    if ((above ?? 0) + below > MAX_DEPTH)
      throw refusal('too_deep', `Workspaces stand at most ${MAX_DEPTH} deep in each other.`);
  }

  private async refuseToArchive(transaction: Transaction, row: Workspace): Promise<void> {
    if (row.isDefault) throw new Problem('record_locked', 'The default workspace cannot be archived.');
    if (await this.repository.hasChildren(transaction, row.id))
      throw new Problem('in_use', 'Other workspaces are part of it; archive these first.');
  }

  private async unit<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      if (!breaksConstraint(error, 'workspaces_key_key')) throw error;
      throw new Problem('duplicate', 'Another workspace has the same key.', { extensions: { field: 'key' } });
    }
  }
}
