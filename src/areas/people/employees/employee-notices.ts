import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { PermissionHolders } from '#libs/members/permission-holders.js';
import { Notifier } from '#libs/notifications/notifier.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { type Employee, employees } from './employee.js';
import type { Employment } from './employment.entity.js';

const PERMISSION = 'employees:manage';
const MOST_READERS = 20;

/** What members are told about planned changes of employments. */
@Injectable()
export class EmployeeNotices {
  constructor(
    private readonly holders: PermissionHolders,
    private readonly notifier: Notifier,
  ) {}

  /** Tells the planner, and those who manage employees, that a planned manager did not take effect. */
  async tellOfDroppedManager(transaction: Transaction, { id, name }: Employee, planned: Employment): Promise<void> {
    const { createdBy, effectiveDate } = planned;
    const planner = createdBy.type === 'member' && createdBy.id !== null ? [createdBy.id] : [];
    const notice = {
      kind: 'review',
      subject: { object: employees.type, id },
      url: `${pathOf(employees)}/${id}`,
      title: `The new manager of ${name} did not take effect`,
      body:
        `The change planned for ${effectiveDate} was applied without its manager, who has left or reports to the ` +
        'employee. The manager stays as before; set another one if that is wrong.',
    } as const;
    const readers = new Set([...planner, ...(await this.holders.find(PERMISSION, MOST_READERS))]);
    await this.notifier.tell(transaction, notice, [...readers]);
  }
}
