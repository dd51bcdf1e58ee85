import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentPrincipal, requirePermission } from '#libs/auth/current-principal.js';
import { isPrivileged } from '#libs/auth/permission-risk.js';
import { reachesAsFar } from '#libs/auth/reach.js';
import { parseGrants, type RoleGrant, systemRoleOf } from '#libs/auth/roles.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { fold } from '#libs/kernel/fold.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { OWNER_ROLE, refuseBeyond, type Role, RoleBook, systemRoles } from '#libs/members/role-book.js';
import { PRIVILEGED_GATE, RoleDoor } from '#libs/members/role-door.js';
import type { PendingApproval } from '#libs/resource/approval.dto.js';
import { checkPrecondition } from '#libs/resource/precondition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentScope } from '#libs/tenancy/scope.js';
import {
  type ChangedRole,
  type CreateRole,
  type DeletedRole,
  MAX_ROLES,
  ROLE_TYPE,
  type RolePending,
  type RoleView,
  type UpdateRole,
} from './role.dto.js';
import { editedRow, keyFrom, permissionsFrom } from './role-inputs.js';
import { presentRole, RoleRecords } from './role-records.js';
import { type RoleRow, RolesRepository } from './roles.repository.js';

const PERMISSION = 'roles:manage';
const GATE_FIELDS = [
  ...['key', 'name', 'description', 'permissions', 'memberCount', 'add', 'remove', 'preset'],
  'replacementRoleId',
];
const SUMMARIES = {
  create: 'Make a privileged role',
  update: 'Change what a privileged role allows',
  delete: 'Replace a role by a privileged one',
};

/** Makes, changes and deletes the tenant's own roles. */
@Injectable()
export class RoleChangesService implements OnModuleInit {
  constructor(
    private readonly repository: RolesRepository,
    private readonly records: RoleRecords,
    private readonly roles: RoleBook,
    private readonly door: RoleDoor,
    private readonly registry: ResourceRegistry,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.registry.addCommands({ type: ROLE_TYPE, gate: PRIVILEGED_GATE, fields: GATE_FIELDS, executor: this });
  }

  /** @throws Problem 400, 403 `grant_exceeds_rights`, 409 `duplicate`, 409 `limit_reached`. */
  async create(input: CreateRole): Promise<RoleView | RolePending> {
    const permissions = permissionsFrom(input);
    const id = uuidv7();
    return this.database.transaction(async (transaction) => {
      const target = { id, version: 1, name: input.name };
      const work = () => this.make(transaction, id, input);
      const moved = isPrivileged(parseGrants(permissions));
      const approval = await this.hold(transaction, 'create', moved, target, { ...input }, work);
      return approval ? { pendingApproval: approval } : work();
    });
  }

  /** Applies a patch. One that changes nothing leaves the version. @throws Problem as {@link create}, 404, 412. */
  async update(id: string, patch: UpdateRole): Promise<ChangedRole> {
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      checkPrecondition(row.version);
      const work = () => this.apply(transaction, row, patch);
      const moved = isPrivileged(movedGrants(row, editedRow(row, patch)));
      const approval = await this.hold(transaction, 'update', moved, row, { ...patch }, work);
      if (!approval) return work();
      const memberCount = await this.repository.memberCount(id);
      return { ...presentRole(row, memberCount), affectedMembers: 0, pendingApproval: approval };
    });
  }

  /** @throws Problem 404, 409 `system_role`, 409 `in_use` without a replacement that can stand everywhere, and as giving it. */
  async remove(id: string, replacementRoleId: string | undefined): Promise<DeletedRole> {
    return this.database.transaction(async (transaction) => {
      const row = await this.lock(transaction, id);
      checkPrecondition(row.version);
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

  /** Makes a change that has been approved, as who asked for it. @throws Problem 409 `stale_target`. */
  async execute(action: string, id: string, input: Record<string, unknown>, version: number): Promise<unknown> {
    return this.database.transaction(async (transaction) => {
      requirePermission(PERMISSION);
      if (action === 'create') return this.make(transaction, id, input as unknown as CreateRole); // as it was validated
      const row = await this.lock(transaction, id);
      if (row.version !== version)
        throw new Problem('stale_target', 'The role has changed since approval was asked for.');
      if (action === 'delete') return this.delete(transaction, row, String(input['replacementRoleId']));
      return this.apply(transaction, row, input);
    });
  }

  translate(error: unknown): unknown {
    return error;
  }

  private async make(transaction: Transaction, id: string, input: CreateRole): Promise<RoleView> {
    const permissions = permissionsFrom(input);
    refuseBeyond(currentPrincipal(), parseGrants(permissions));
    const known = await this.repository.all(transaction);
    if (known.length + systemRoles().length >= MAX_ROLES)
      throw new Problem('limit_reached', `A tenant has at most ${MAX_ROLES} roles.`);
    refuseTaken(input.name, known);
    const at = this.now();
    const key = keyFrom(input.name, new Set([...systemRoles(), ...known].map((role) => role.key)));
    const { name, description = null } = input;
    const row = { id, key, name, description, permissions, version: 1, createdAt: at, updatedAt: at };
    const after = presentRole(row, 0);
    this.records.record(transaction, 'created', { before: null, after, save: this.repository.insert(row), at });
    return after;
  }

  private async apply(transaction: Transaction, row: RoleRow, patch: UpdateRole): Promise<ChangedRole> {
    const edited = editedRow(row, patch);
    const memberCount = await this.repository.memberCount(row.id);
    const before = presentRole(row, memberCount);
    if (JSON.stringify(edited) === JSON.stringify(row)) return { ...before, affectedMembers: 0, pendingApproval: null };
    refuseBeyond(currentPrincipal(), gained(row, edited));
    if (fold(edited.name) !== fold(row.name)) refuseTaken(edited.name, await this.repository.all(transaction));
    const at = this.now();
    const saved = { ...edited, version: row.version + 1, updatedAt: at };
    const after = presentRole(saved, memberCount);
    this.records.record(transaction, 'updated', { before, after, save: this.repository.save(saved), at });
    const affectedMembers = movedGrants(row, edited).length > 0 ? memberCount : 0;
    return { ...after, affectedMembers, pendingApproval: null };
  }

  /** Has a change wait that moves privileged permissions, where the tenant wants that; null when it may be made at once. */
  private async hold(
    transaction: Transaction,
    action: keyof typeof SUMMARIES,
    isPrivileged: boolean,
    { id, version, name, ...row }: Pick<RoleRow, 'id' | 'version' | 'name'> & Partial<RoleRow>,
    input: Record<string, unknown>,
    work: () => Promise<unknown>,
  ): Promise<PendingApproval | null> {
    const order = {
      operation: `admin.roles.${action}`,
      action,
      summary: SUMMARIES[action],
      permission: PERMISSION,
      object: ROLE_TYPE,
      row: { id, version, name },
      input,
      facts: () => ({ ...row, name, ...input }),
    };
    return this.door.hold(transaction, [{ isPrivileged }], order, work);
  }

  private async delete(
    transaction: Transaction,
    row: RoleRow,
    replacementRoleId: string | undefined,
  ): Promise<DeletedRole> {
    const { id } = row;
    const members = await this.repository.memberCount(id);
    const at = this.now();
    if (replacementRoleId === undefined) {
      if (members > 0 || (await this.repository.isPromised(transaction, id)))
        throw new Problem('in_use', 'The role is in use; name one to replace it.');
    } else await this.replace(transaction, id, replacementRoleId, at);
    const view = presentRole(row, members);
    const reason = replacementRoleId === undefined ? {} : { reason: `replaced by ${replacementRoleId}` };
    this.records.record(transaction, 'deleted', {
      before: view,
      after: { ...view, memberCount: 0 },
      save: this.repository.delete(id),
      at,
      ...reason,
    });
    const reassigned = replacementRoleId === undefined ? 0 : members;
    return { id, deleted: true, reassigned, pendingApproval: null };
  }

  private async replace(transaction: Transaction, id: string, replacement: string, at: string): Promise<void> {
    await this.replacement(transaction, id, replacement);
    if (replacement === OWNER_ROLE && (await this.repository.isPromised(transaction, id)))
      throw new Problem('in_use', 'Something is going to give the role, and the role of owners is given by name only.');
    for (const statement of this.repository.replace(id, replacement, at)) transaction.write(statement);
  }

  /** The role that takes the place of another. @throws Problem 400 at `replacementRoleId`, 403 for one that is not to give. */
  private async replacement(transaction: Transaction, id: string, replacement: string): Promise<Role[]> {
    if (replacement === id)
      throw Problem.validation([
        { parameter: 'replacementRoleId', code: 'same_role', detail: 'A role cannot replace itself.' },
      ]);
    try {
      return await this.roles.requireGrantable(transaction, [replacement], '');
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error;
      throw Problem.validation([
        { parameter: 'replacementRoleId', code: 'unknown_reference', detail: 'There is no such role.' },
      ]);
    }
  }

  private async lock(transaction: Transaction, id: string): Promise<RoleRow> {
    if (systemRoleOf(id))
      throw new Problem('system_role', 'The roles of the system can be neither changed nor deleted.');
    const row = await this.repository.lock(transaction, id);
    if (!row) throw Problem.notFound();
    return row;
  }

  private now(): string {
    return (currentScope().stampedAt ??= this.clock.now().toISOString());
  }
}

/** What the second form of a role allows beyond the first. */
function gained(before: RoleRow, after: RoleRow): RoleGrant[] {
  const held = parseGrants(before.permissions);
  return parseGrants(after.permissions).filter(
    ({ permission, reach }) => !held.some((each) => each.permission === permission && reachesAsFar(each.reach, reach)),
  );
}

/** What only one of the two forms of a role allows. */
function movedGrants(before: RoleRow, after: RoleRow): RoleGrant[] {
  return [...gained(before, after), ...gained(after, before)];
}

function refuseTaken(name: string, known: readonly RoleRow[]): void {
  const wanted = fold(name.trim());
  if ([...systemRoles(), ...known].some((role) => fold(role.name.trim()) === wanted))
    throw new Problem('duplicate', 'Another role has the same name.', { extensions: { field: 'name' } });
}
