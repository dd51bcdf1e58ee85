import { Injectable } from '@nestjs/common';
import { brokenReference } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { mustBeVisible, mustExist } from '#libs/resource/access/references.js';
import type { Reference } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { EmployeesService } from '#src/areas/people/employees/employees.service.js';
import type { MappingDefaults, MappingValues } from './mapping-values.js';

const LIVE_DEPARTMENT = { table: 'data.people_departments', where: 'deleted_at is null and archived_at is null' };
const LIVE_EMPLOYEE = { table: 'data.people_employees', where: `deleted_at is null and status <> 'terminated'` };
const OPEN_WORKSPACE = { table: 'data.workspaces', where: 'archived_at is null' };

/** Checks the values that callers set, in templates and in mappings. */
@Injectable()
export class ValueChecks {
  constructor(
    private readonly roles: RoleBook,
    private readonly registry: ResourceRegistry,
    private readonly employees: EmployeesService,
  ) {}

  /**
   * @param place JSON pointer of the values
   * @throws Problem 400 for an unknown role; 403 for roles that the caller may not grant, and for a manager who would
   * see more than the caller does. Other unknown references fail the transaction.
   */
  async require(
    transaction: Transaction,
    place: string,
    values: Partial<Omit<MappingValues, 'startDate'> | MappingDefaults>,
  ): Promise<void> {
    const { departmentId, managerId, roleIds, workspaceIds } = values;
    await this.employees.records.rules.refuseOpening({ managerId }, null);
    if (roleIds) await this.roles.requireGrantable(transaction, roleIds, `${place}/roleIds`);
    if (workspaceIds && workspaceIds.length > 0)
      transaction.write(mustExist(OPEN_WORKSPACE, `${place}/workspaceIds`, workspaceIds));
    this.requireVisible(transaction, LIVE_DEPARTMENT, `${place}/departmentId`, [departmentId]);
    this.requireVisible(transaction, LIVE_EMPLOYEE, `${place}/managerId`, [managerId]);
  }

  /** Runs a change; a reference that fails the transaction becomes a 400 at the field. */
  async explained<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      const pointer = brokenReference(error);
      throw pointer === null ? error : Problem.unknownReference(pointer);
    }
  }

  /** Fails the transaction unless the caller can see the records. */
  requireVisible(
    transaction: Transaction,
    reference: Reference,
    pointer: string,
    ids: readonly (string | null | undefined)[],
  ): void {
    const given = ids.filter((id) => typeof id === 'string');
    if (given.length > 0) transaction.write(mustBeVisible(this.registry, reference, pointer, given));
  }
}
