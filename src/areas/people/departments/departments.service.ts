import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Shown } from '#libs/resource/record-type.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { PeopleTime } from '../people-time.js';
import { type Department, departments } from './department.js';
import { DepartmentsRepository } from './departments.repository.js';

const circle = (): Problem => new Problem('tree_cycle', 'A department cannot be part of one that is part of it.');

@Injectable()
export class DepartmentsService extends ResourceService<Department, Shown<Department>> {
  protected override readonly constraints = {
    people_departments_tree: circle,
    people_departments_parent_self: circle,
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: DepartmentsRepository,
    private readonly time: PeopleTime,
  ) {
    super(departments, kit, repository);
  }

  /** Who moves a department takes the lock of the tree before the one of the row. */
  override update(id: string, patch: Record<string, unknown>): Promise<Shown<Department>> {
    if (!('parentId' in patch)) return super.update(id, patch);
    return this.unit(async (transaction) => {
      await this.repository.lockTree(transaction);
      return super.update(id, patch);
    });
  }

  protected override async transit(
    transaction: Transaction,
    row: Department,
    action: string,
    input: Record<string, unknown>,
  ): Promise<Shown<Department>> {
    const goes = row.archivedAt === null && row.deletedAt === null && (action === 'archive' || action === 'delete');
    if (goes && (await this.repository.isUsed(transaction, row.id, await this.time.today())))
      throw new Problem('in_use', 'Somebody is in the department, or another one is part of it; move them first.');
    return super.transit(transaction, row, action, input);
  }
}
