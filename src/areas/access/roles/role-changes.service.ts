import { oneByOne } from '#libs/database/one-by-one.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import { reachesAsFar } from '#libs/auth/reach.js';
import { parseGrants, type RoleGrant, systemRoleOf } from '#libs/auth/roles.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { OWNER_ROLE, refuseBeyond, type Role as KnownRole, RoleBook, systemRoles } from '#libs/members/role-book.js';
import { PRIVILEGED_GATE, RoleDoor } from '#libs/members/role-door.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type Role, roles, type RoleView } from './role.js';
import { editedRow, keyFrom, permissionsFrom } from './role-inputs.js';
import { promised, replacements } from './role.queries.js';
import { type ChangedRole, type DeletedRole, type NewRole, type RolePatch, type RolePending } from './role.requests.js';
import { showRole } from './role-views.js';
import { RolesService } from './roles.service.js';

const PERMISSION = 'roles:manage';
const GATE_FIELDS = [
  ...['key', 'name', 'description', 'permissions', 'memberCount', 'add', 'remove', 'preset'],
  'replacementRoleId',
];
const SUMMARIES = {
  create: 'Create a privileged role',
  update: 'Change the permissions of a privileged role',
  delete: 'Replace a role with a privileged one',
};

/** Creates, changes and deletes custom roles. */
@Injectable()
export class RoleChangesService implements OnModuleInit {
  private readonly objects: GovernedObjects<Role>;

  constructor(
    kit: ResourceKit,
    private readonly known: RolesService,
    private readonly book: RoleBook,
    private readonly door: RoleDoor,
    private readonly registry: ResourceRegistry,
  ) {
    this.objects = new GovernedObjects(roles, kit);
  }

  onModuleInit(): void {
    this.registry.addCommands({ type: roles.type, gate: PRIVILEGED_GATE, fields: GATE_FIELDS, executor: this });
  }

  /** @throws Problem 400, 403 `grant_exceeds_rights`, 409 `duplicate`, 409 `limit_reached`. */
  async create(input: NewRole): Promise<RoleView | RolePending> {
    const permissions = permissionsFrom(input);
    const id = uuidv7();
    return this.objects.unit(async (transaction) => {
      const target = { id, version: 1, name: input.name };
      const work = () => this.make(transaction, id, input);
      const moved = isPrivileged(parseGrants(permissions));
      const approval = await this.hold(transaction, 'create', moved, target, { ...input }, work);
      return approval ? { pendingApproval: approval } : work();
    });
  }

  /** Applies a patch. The version stays if nothing changes. @throws Problem as {@link create}, 404, 412. */
  async update(id: string, patch: RolePatch): Promise<ChangedRole> {
    return this.objects.unit(async (transaction) => {
      refuseSystem(id);
      const row = await this.objects.lock(transaction, id);
      const work = () => this.apply(transaction, row, patch);
      const moved = isPrivileged(movedGrants(row, editedRow(row, patch)));
      const approval = await this.hold(transaction, 'update', moved, row, { ...patch }, work);
      if (!approval) return work();
      const view = showRole(row, await this.known.memberCount(id));
      return { ...view, affectedMembers: 0, pendingApproval: approval };
    });
  }

  /**
   * @throws Problem 404, 409 `system_role`, 409 `in_use` without a usable replacement, and as granting the replacement.
   */
  async remove(id: string, replacementRoleId: string | undefined): Promise<DeletedRole> {
    return this.objects.unit(async (transaction) => {
      refuseSystem(id);
      const row = await this.objects.lock(transaction, id);
      const work = () => this.delete(transaction, row, replacementRoleId);
      if (replacementRoleId === undefined) return work();
      const [replacement] = await this.replacement(transaction, id, replacementRoleId);
      const approval = await this.hold(
        transaction,
        'delete',
        replacement!.isPrivileged,
        row,
        { replacementRoleId },
        work,
      );
      return approval ? { id, deleted: false, reassigned: 0, pendingApproval: approval } : work();
    });
  }

  /** Executes an approved change on behalf of the requester. @throws Problem 409 `stale_target`. */
  async execute(action: string, id: string, input: Record<string, unknown>, version: number): Promise<unknown> {
    return this.objects.unit(async (transaction) => {
      requirePermission(PERMISSION);
      if (action === 'create') return this.make(transaction, id, input as unknown as NewRole); // as it was validated
      refuseSystem(id);
      const row = await this.objects.rows.lock(transaction, id);
      if (!row) throw Problem.notFound();
      if (row.version !== version)
        throw new Problem('stale_target', 'The role has changed since approval was requested.');
      if (action === 'delete') return this.delete(transaction, row, String(input['replacementRoleId']));
      return this.apply(transaction, row, input);
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  private async make(transaction: Transaction, id: string, input: NewRole): Promise<RoleView> {
    const permissions = permissionsFrom(input);
    refuseBeyond(currentPrincipal(), parseGrants(permissions));
    const known = await this.all(transaction);
    await this.objects.refuseBeyondLimit(known.length + systemRoles().length);
    refuseTaken(input.name, known);
    const key = keyFrom(input.name, new Set([...systemRoles(), ...known].map((role) => role.key)));
    const { name, description = null } = input;
    const figures = { isSystem: false, isPrivileged: isPrivileged(parseGrants(permissions)), memberCount: 0 };
    return showRole(this.objects.add(transaction, { id, key, name, description, permissions, ...figures }), 0);
  }

  private async apply(transaction: Transaction, row: Role, patch: RolePatch): Promise<ChangedRole> {
    const edited = editedRow(row, patch);
    const memberCount = await this.known.memberCount(row.id);
    refuseBeyond(currentPrincipal(), gained(row, edited));
    if (fold(edited.name) !== fold(row.name)) refuseTaken(edited.name, await this.all(transaction));
    const after = this.objects.change(transaction, showRole(row, memberCount), showRole(edited, memberCount));
    const affectedMembers = movedGrants(row, edited).length > 0 ? memberCount : 0;
    return { ...showRole(after, memberCount), affectedMembers, pendingApproval: null };
  }

  /** Parks a change of privileged permissions if the tenant requires approval; null when it may be made at once. */
  private async hold(
    transaction: Transaction,
    action: keyof typeof SUMMARIES,
    isPrivileged: boolean,
    { id, version, name, tenantId: _, ...row }: Pick<Role, 'id' | 'version' | 'name'> & Partial<Role>,
    input: Record<string, unknown>,
    work: () => Promise<unknown>,
  ): Promise<PendingApproval | null> {
    const order = {
      operation: `admin.roles.${action}`,
      action,
      summary: SUMMARIES[action],
      permission: PERMISSION,
      object: roles.type,
      row: { id, version, name },
      input,
      facts: () => ({ ...row, name, ...input }),
    };
    return this.door.hold(transaction, [{ isPrivileged }], order, work);
  }

  private async delete(
    transaction: Transaction,
    row: Role,
    replacementRoleId: string | undefined,
  ): Promise<DeletedRole> {
    const { id } = row;
    const memberCount = await this.known.memberCount(id);
    if (replacementRoleId !== undefined) await this.replace(transaction, id, replacementRoleId);
    else if (memberCount > 0 || (await this.isPromised(transaction, id)))
      throw new Problem('in_use', 'The role is in use; specify a replacement.');
    const before = showRole(row, memberCount);
    this.objects.record(transaction, {
      event: 'deleted',
      before,
      after: { ...before, memberCount: 0, updatedAt: this.objects.now() },
      save: this.objects.rows.remove(id),
      reason: replacementRoleId === undefined ? null : `replaced by ${replacementRoleId}`,
    });
    const reassigned = replacementRoleId === undefined ? 0 : memberCount;
    return { id, deleted: true, reassigned, pendingApproval: null };
  }

  private async replace(transaction: Transaction, id: string, replacement: string): Promise<void> {
    await this.replacement(transaction, id, replacement);
    if (replacement === OWNER_ROLE && (await this.isPromised(transaction, id)))
      throw new Problem(
        'in_use',
        'The role is still to be granted automatically, but the owner role can only be granted directly.',
      );
    for (const each of replacements(id, replacement, this.objects.now())) transaction.write(each);
  }

  /**
   * The replacement for a role. @throws Problem 400 at `replacementRoleId`, 403 for a role that the caller may not
   * grant.
   */
  private async replacement(transaction: Transaction, id: string, replacement: string): Promise<KnownRole[]> {
    if (replacement === id)
      throw Problem.validation([
        { parameter: 'replacementRoleId', code: 'same_role', detail: 'A role cannot replace itself.' },
      ]);
    try {
      return await this.book.requireGrantable(transaction, [replacement], '');
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error;
      throw Problem.validation([
        { parameter: 'replacementRoleId', code: 'unknown_reference', detail: 'There is no such role.' },
      ]);
    }
  }

  private async isPromised(transaction: Transaction, id: string): Promise<boolean> {
    return (await transaction.query(promised(id))).length > 0;
  }

  /** All custom roles. No further one can be added until the transaction ends. */
  private all(transaction: Transaction): Promise<Role[]> {
    transaction.write(oneByOne('roles')); // so that their count is exact
    return this.objects.rows.all();
  }
}

function refuseSystem(id: string): void {
  if (systemRoleOf(id)) throw new Problem('system_role', 'System roles cannot be changed or deleted.');
}

/** Permissions that the second version of a role adds to the first. */
function gained(before: Role, after: Role): RoleGrant[] {
  const held = parseGrants(before.permissions);
  return parseGrants(after.permissions).filter(
    ({ permission, reach }) => !held.some((each) => each.permission === permission && reachesAsFar(each.reach, reach)),
  );
}

/** Permissions in only one of the two versions of a role. */
function movedGrants(before: Role, after: Role): RoleGrant[] {
  return [...gained(before, after), ...gained(after, before)];
}

function refuseTaken(name: string, known: readonly Role[]): void {
  const wanted = fold(name.trim());
  if ([...systemRoles(), ...known].some((role) => fold(role.name.trim()) === wanted))
    throw new Problem('duplicate', 'Another role has the same name.', { extensions: { field: 'name' } });
}
