import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import type { Member } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { RoleBook } from '#libs/members/role-book.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { PeopleTime } from '../people-time.js';
import { TimeOffRepository } from '../time-off/time-off.repository.js';
import type { Employee } from './employee.js';
import { EmployeesRepository } from './employees.repository.js';

/** The last day of a leave of which no end is known. */
const OPEN_END = '9999-12-31';

/** Members who are on leave are out of office, and their manager is their delegate. */
@Injectable()
export class LeaveCover {
  constructor(
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly repository: EmployeesRepository,
    private readonly absences: TimeOffRepository,
    private readonly settings: TenantSettings,
    private readonly time: PeopleTime,
  ) {}

  /** Begins and ends the absence with the leave. A suspended employee may return to it. */
  async follow(transaction: Transaction, before: Employee, after: Employee): Promise<void> {
    if (after.status === before.status) return;
    if (after.status === 'on_leave') await this.begin(transaction, after);
    else if (after.status !== 'suspended' && (before.status === 'on_leave' || before.status === 'suspended'))
      await this.end(transaction, after);
  }

  /**
   * Sets or extends the absence until the end of the leave, unless members have set one themselves or have no manager
   * to stand in. Managers do not stand in for members with more rights.
   * @param ended time off that no longer counts
   */
  async begin(
    transaction: Transaction,
    { id, membershipId }: Pick<Employee, 'id' | 'membershipId'>,
    ended: string | null = null,
  ): Promise<void> {
    const delegateId = membershipId && (await this.repository.activeManagerOf(transaction, id));
    if (!membershipId || !delegateId) return;
    const today = await this.time.today();
    const locked = await this.members.lockAll(transaction, [membershipId]);
    const [member, delegate] = [locked[0], await this.members.find(delegateId)];
    if (!member || !delegate || hasOwn(member, today)) return;
    if (await this.roles.outranks(transaction, member, delegate)) return;
    const fromDate = member.awayOnLeave ? member.outOfOffice!.fromDate : today;
    const { leaveStatusAfterDays } = (await this.settings.get()).people;
    const leave = { id: ended, employeeId: id };
    const toDate = (await this.absences.awayUntil(transaction, leave, today, leaveStatusAfterDays)) ?? OPEN_END;
    const outOfOffice = { fromDate, toDate, delegateId };
    await this.members.change(transaction, member, { outOfOffice, awayOnLeave: true }, 'platform');
  }

  /**
   * The state of an employee who was active or on leave at an instant: on leave during long time off, and while a leave
   * goes on that no time off had caused.
   */
  async stateOf(transaction: Transaction, employeeId: string, before: 'active' | 'on_leave', at: string) {
    const { leaveStatusAfterDays: days } = (await this.settings.get()).people;
    const leave = { id: null, employeeId };
    if ((await this.absences.awayUntil(transaction, leave, await this.time.today(), days)) !== null) return 'on_leave';
    if (before === 'active') return before;
    const then = await this.time.dateAt(at);
    return (await this.absences.wasAway(transaction, employeeId, then, days)) ? 'active' : 'on_leave';
  }

  private async end(transaction: Transaction, { membershipId }: Employee): Promise<void> {
    const [member] = membershipId === null ? [] : await this.members.lockAll(transaction, [membershipId]);
    if (member?.awayOnLeave)
      await this.members.change(transaction, member, { outOfOffice: null, awayOnLeave: false }, 'platform');
  }
}

/** Whether a member has set an absence that is not over. */
function hasOwn({ outOfOffice, awayOnLeave }: Member, today: string): boolean {
  return outOfOffice !== null && !awayOnLeave && outOfOffice.toDate >= today;
}
