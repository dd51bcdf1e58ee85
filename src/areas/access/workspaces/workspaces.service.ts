import { Injectable } from '@nestjs/common';
import { callerOrNull, reachOf } from '#libs/auth/current-principal.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { MANUAL, type Member, type WorkspaceRole } from '#libs/members/member.js';
import { memberCounts } from '#libs/members/member-counts.js';
import { Members } from '#libs/members/members.js';
import { RoleBook } from '#libs/members/role-book.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { RecordSights } from '#libs/resource/access/record-sights.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { known, manages, refuseToRaise, requireManager, visible } from './workspace-access.js';
import { MAX_DEPTH, type Workspace, workspaces } from './workspace.js';
import { children, family, type Family } from './workspace.queries.js';
import type { NewWorkspace, WorkspacePatch } from './workspace.requests.js';

const OPEN: Pick<Workspace, 'status' | 'archivedAt'> = { status: 'active', archivedAt: null };

/** Workspaces of the tenant. */
@Injectable()
export class WorkspacesService {
  readonly objects: GovernedObjects<Workspace>;

  constructor(
    kit: ResourceKit,
    sights: RecordSights,
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly database: Database,
  ) {
    this.objects = new GovernedObjects(workspaces, kit, this);
    kit.registry.addLabels({ type: workspaces.type, table: workspaces.table, known });
    sights.add(workspaces.type, (id) => this.find(id));
    sights.add(':workspaceId', async (id) => {
      await this.find(id);
      requireManager(id);
    });
  }

  /** The row with an id that the caller may see. @throws Problem 404. */
  find(id: string): Promise<Workspace> {
    return this.objects.read(id);
  }

  /** As {@link find}, but also locks the row, requires that the caller manages it, and checks `If-Match`. */
  lock(transaction: Transaction, id: string): Promise<Workspace> {
    return this.objects.lock(transaction, id);
  }

  visible(): Guard | null {
    return visible();
  }

  /** @throws Problem 403. */
  mayChange({ id }: Workspace): void {
    requireManager(id);
  }

  /** Creates a workspace, led by the caller unless another lead is given. @throws Problem 400, 403, 409 `duplicate`. */
  async create(input: NewWorkspace): Promise<ShownObject<Workspace>> {
    const { name, key = null, description = null, parentId = null, visibility = 'open', defaultRoleIds = [] } = input;
    const leadId = input.leadId ?? callerOrNull()?.membershipId ?? null;
    return this.objects.unit(async (transaction) => {
      // With a limited reach, a new workspace must be part of one that the caller manages.
      if (reachOf('workspaces:manage') !== 'tenant' && (parentId === null || !manages(parentId)))
        throw new Problem('permission_denied', 'A new workspace must be part of one that you manage.');
      await this.requireGivable(transaction, defaultRoleIds);
      if (parentId !== null) await this.requirePlace(transaction, null, parentId);
      const own = { name, key, description, parentId, leadId: null, visibility, defaultRoleIds };
      const { id } = this.objects.add(transaction, { ...own, isDefault: false, memberCount: 0, ...OPEN });
      if (leadId !== null) await this.place(transaction, id, leadId, 'lead');
      return this.objects.get(id);
    });
  }

  /**
   * Applies a merge patch. The version stays if nothing changes.
   * @throws Problem 404, 412, 400, 403, 409 `tree_cycle`, 409 `record_locked`, 409 `in_use`.
   */
  async update(id: string, { archive, ...fields }: WorkspacePatch): Promise<ShownObject<Workspace>> {
    return this.objects.unit(async (transaction) => {
      const row = await this.lock(transaction, id);
      const isMoved = archive !== undefined && archive !== (row.archivedAt !== null);
      if (row.archivedAt !== null && !(isMoved && !archive))
        throw new Problem('record_locked', 'The workspace is archived; restore it before you change it.');
      const { defaultRoleIds, parentId, leadId } = fields;
      if (defaultRoleIds) await this.requireGivable(transaction, defaultRoleIds);
      if (parentId && parentId !== row.parentId) await this.requirePlace(transaction, id, parentId);
      if (isMoved && archive) await this.refuseToArchive(transaction, row);
      if (leadId !== undefined && leadId !== row.leadId) await this.handOver(transaction, row, leadId);
      const [event, move] = archive ? ['archived', archivedAt(this.objects.now())] : ['unarchived', OPEN];
      const after = isMoved
        ? this.objects.change(transaction, row, { ...fields, ...move }, event)
        : this.objects.change(transaction, row, fields);
      return this.objects.show(after);
    });
  }

  /** Changes the lead of a workspace; the previous lead becomes a member. */
  private async handOver(transaction: Transaction, { id, leadId }: Workspace, to: string): Promise<void> {
    const member = await this.findLead(transaction, to);
    const place = { workspaceId: id, workspaceRole: 'lead' } as const;
    await refuseToRaise(transaction, this.roles, { member, place, gifts: [] });
    await this.place(transaction, id, to, 'lead');
    if (leadId !== null) await this.place(transaction, id, leadId, 'member');
  }

  /**
   * Adds a member to a workspace, or changes their role in it. @throws Problem 400 `unknown_reference` at `/leadId`.
   */
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

  /** @throws Problem 400, 403 `grant_exceeds_rights` for roles that the caller cannot grant, or that are privileged. */
  private async requireGivable(transaction: Transaction, roleIds: readonly string[]): Promise<void> {
    const roles = await this.roles.requireGrantable(transaction, roleIds, '/defaultRoleIds');
    const privileged = roles.flatMap(({ isPrivileged }, index) => (isPrivileged ? [index] : []));
    if (privileged.length > 0)
      throw Problem.validation(
        privileged.map((index) => ({
          pointer: `/defaultRoleIds/${index}`,
          code: 'privileged_role',
          detail: 'A privileged role can only be granted directly.',
        })),
      );
  }

  /**
   * Checks that a workspace (null for a new one) fits below a parent.
   * @throws Problem 400 for a parent that does not exist or is nested too deeply, 409 `tree_cycle`.
   */
  private async requirePlace(transaction: Transaction, id: string | null, parentId: string): Promise<void> {
    const refusal = (code: string, detail: string) => Problem.validation([{ pointer: '/parentId', code, detail }]);
    const parent = await this.objects.rows.find(parentId, visible());
    if (parent?.archivedAt !== null) throw refusal('unknown_reference', 'There is no such workspace.');
    transaction.write(oneByOne('workspaces')); // two valid moves can together create a cycle
    const [found] = await transaction.query<Family>(family(id, parentId));
    const { above, below, circle } = found!;
    if (circle) throw new Problem('tree_cycle', 'A workspace cannot be part of itself.');
    if ((above ?? 0) + below > MAX_DEPTH)
      throw refusal('too_deep', `Workspaces can be nested at most ${MAX_DEPTH} levels.`);
  }

  private async refuseToArchive(transaction: Transaction, { id, isDefault }: Workspace): Promise<void> {
    if (isDefault) throw new Problem('record_locked', 'The default workspace cannot be archived.');
    if ((await transaction.query(children(id))).length > 0)
      throw new Problem('in_use', 'The workspace has children; archive those first.');
  }

  /** The representation of workspaces in the API and events. */
  async show(rows: readonly Workspace[]): Promise<ShownObject<Workspace>[]> {
    const counts = await memberCounts(
      this.database,
      'workspace',
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({
      ...this.objects.view(row),
      memberCount: counts.get(row.id) ?? 0,
      status: row.archivedAt === null ? 'active' : 'archived',
    }));
  }

  derive(row: Workspace): Promise<ShownObject<Workspace>> {
    return this.objects.show(row);
  }
}

function archivedAt(at: string): Pick<Workspace, 'status' | 'archivedAt'> {
  return { status: 'archived', archivedAt: at };
}
