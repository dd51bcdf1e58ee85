import { Injectable } from '@nestjs/common';
import { requirePermission } from '#libs/auth/current-principal.js';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Role, RoleBook } from '#libs/members/role-book.js';
import { mustBeVisible, mustExist } from '#libs/resource/access/references.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { InvitationMoves } from './invitation-moves.js';

const OPEN_WORKSPACE = { table: 'data.workspaces', where: 'archived_at is null' };
const UNTIED_EMPLOYEE = {
  table: 'data.people_employees',
  where: `deleted_at is null and status <> 'terminated' and membership_id is null`,
};
const NOT_HELD = new Set(['grant_exceeds_rights', 'permission_denied']);

/** Checks the terms of an invitation and whether the caller may offer them. */
@Injectable()
export class InvitationTerms {
  constructor(
    private readonly roles: RoleBook,
    private readonly moves: InvitationMoves,
    private readonly registry: ResourceRegistry,
  ) {}

  /** The time in this many days. */
  expiry(days: number): string {
    return new Date(Date.parse(this.moves.now()) + days * DAY_MS).toISOString();
  }

  /**
   * The roles that are newly promised.
   * @param given roles that are already promised
   * @throws Problem 400 for an unknown role, 403 for one that the caller may not grant.
   */
  async requireGrantable(
    transaction: Transaction,
    roleIds: readonly string[],
    given: readonly string[] = [],
  ): Promise<Role[]> {
    await this.roles.resolve(transaction, roleIds, '/roleIds');
    const added = roleIds.filter((roleId) => !given.includes(roleId));
    return this.roles.requireGrantable(transaction, added, '/roleIds');
  }

  /** As {@link requireGrantable}; null for roles that exceed the caller's own rights. */
  async grantable(transaction: Transaction, roleIds: readonly string[]): Promise<Role[] | null> {
    try {
      return await this.requireGrantable(transaction, roleIds);
    } catch (error) {
      if (error instanceof Problem && NOT_HELD.has(error.code)) return null;
      throw error;
    }
  }

  requireWorkspaces(transaction: Transaction, workspaceIds: readonly string[]): void {
    if (workspaceIds.length > 0) transaction.write(mustExist(OPEN_WORKSPACE, '/workspaceIds', [...workspaceIds]));
  }

  /** @throws Problem 403 for callers who may not link employees to memberships. */
  requireEmployee(transaction: Transaction, employeeId: string | null): void {
    if (employeeId === null) return;
    requirePermission('employees:manage');
    transaction.write(mustBeVisible(this.registry, UNTIED_EMPLOYEE, '/employeeId', [employeeId]));
  }

  /** Runs a change; an unknown reference becomes a 400 at the field. */
  async explained<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      throw this.translate(error);
    }
  }

  /** Maps a database error to a problem; other errors are returned unchanged. */
  translate(error: unknown): unknown {
    const pointer = brokenReference(error);
    if (pointer === null) return error;
    return Problem.validation([{ pointer, code: 'unknown_reference', detail: 'No usable object has this id.' }]);
  }
}
