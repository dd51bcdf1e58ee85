import { oneByOne } from '#libs/database/one-by-one.js';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Decisions, Input } from '#libs/resource/types/decisions.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { PeopleTime } from '../people-time.js';
import { type Department, departments } from './department.js';
import { isUsed } from './department.queries.js';

const circle = (): Problem => new Problem('tree_cycle', 'A department cannot be part of one that is part of it.');

@Injectable()
export class DepartmentsService implements Decisions<Department> {
  readonly constraints = { people_departments_tree: circle, people_departments_parent_self: circle };
  readonly records: Records<Department>;

  constructor(
    kit: ResourceKit,
    private readonly time: PeopleTime,
  ) {
    this.records = Records.of(departments, kit, this);
  }

  /** Moving a department locks the tree before the row. */
  around<T>({ verb, input }: Asked, work: (input: Input) => Promise<T>): Promise<T> {
    if (verb !== 'update' || !('parentId' in input)) return work(input);
    return this.records.unit(
      async (transaction) => (await transaction.query(oneByOne('people_departments')), work(input)),
    );
  }

  async prepare(transaction: Transaction, row: Department, action: string): Promise<Department> {
    if (row.archivedAt !== null || row.deletedAt !== null || (action !== 'archive' && action !== 'delete')) return row;
    const [used] = await transaction.query<{ yes: boolean }>(isUsed(row.id, await this.time.today()));
    if (!used!.yes) return row;
    throw new Problem('in_use', 'Somebody is in the department, or another one is part of it; move them first.');
  }
}
