import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { daysBetween } from '../calendar.js';
import { EmployeesService } from '../employees/employees.service.js';
import { toDays } from '../half-days.js';
import { PeopleTime } from '../people-time.js';
import { type Absence, halfDaysByYear, MAX_ABSENCE_DAYS, totalOf } from './absence.js';
import { Balances } from './balances.js';
import { TimeOffLedgerRepository } from './time-off-ledger.repository.js';
import type { CreateTimeOff, TimeOffView } from './time-off.dto.js';
import type { TimeOff } from './time-off.entity.js';
import type { TimeOffAction } from './time-off.lifecycle.js';
import { type Person, TimeOffRepository } from './time-off.repository.js';
import { timeOffResource } from './time-off.resource.js';

type Input = Record<string, unknown>;

/** Fire when the first day of an approved absence begins, and when its last one is over; the key is its id. */
export const LEAVE_BEGINS = 'people.time_off.begins';
export const LEAVE_ENDS = 'people.time_off.ends';

const DATED = ['type', 'startDate', 'endDate', 'startHalf', 'endHalf'] as const;

@Injectable()
export class TimeOffService extends ResourceService<TimeOff, TimeOffView, TimeOffAction> {
  protected override readonly handlers: Partial<Record<TimeOffAction, ActionHandler<TimeOff>>> = {
    approve: (row) => this.approve(row),
    reject: () => ({ decidedAt: this.now() }),
    cancel: (row) => this.cancel(row),
    take: (row) => this.take(row),
  };
  protected override readonly constraints = {
    people_time_off_overlap: () =>
      new Problem('time_off_overlap', 'The employee has other time off that has not been rejected or cancelled then.'),
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: TimeOffRepository,
    private readonly balances: Balances,
    private readonly ledger: TimeOffLedgerRepository,
    private readonly employees: EmployeesService,
    private readonly time: PeopleTime,
    private readonly settings: TenantSettings,
  ) {
    super(timeOffResource, kit, repository);
  }

  /** Puts somebody on leave whose absence begins, if it is long enough. */
  async begin(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.status !== 'approved' || !(await this.isLong(row))) return;
    if (row.startDate > (await this.time.today())) return this.unit((transaction) => this.setTimers(transaction, row));
    const person = await this.repository.person(row.employeeId);
    if (person?.status === 'active') await this.employees.follow('leave', row.employeeId);
  }

  /** Notes that an absence is over. */
  async end(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.status !== 'approved') return;
    if (row.endDate < (await this.time.today())) await this.follow('take', id);
    else await this.unit((transaction) => this.setTimers(transaction, row)); // the tenant's days have been moved meanwhile
  }

  protected override derive(row: TimeOff): Partial<TimeOffView> {
    return { days: toDays(row.halfDays) };
  }

  protected override async draft(body: Input): Promise<Draft<TimeOff>> {
    const input = body as unknown as CreateTimeOff; // validated against it
    const { employeeId, type, note = null } = input;
    const absence = absenceOf(input);
    const person = await this.repository.person(employeeId);
    if (!person) throw invalid('/employeeId', 'unknown_reference', 'There is no such record.');
    const halfDays = await this.weigh(person, { ...absence, employeeId, type });
    const name = input.name ?? labelOf(absence);
    return { name, employeeId, type, ...absence, halfDays, note, status: 'requested', decidedAt: null };
  }

  protected override async edit(row: TimeOff, body: Input): Promise<Partial<TimeOff>> {
    const { name, note } = body as Partial<CreateTimeOff>;
    const changes = { ...(name === undefined ? {} : { name }), ...(note === undefined ? {} : { note }) };
    if (!DATED.some((field) => field in body)) return changes;
    if (row.status !== 'requested')
      throw new Problem('record_locked', 'Time off that is decided stays as it is; cancel it and ask for other days.');
    const type = (body['type'] as TimeOff['type'] | undefined) ?? row.type;
    const absence = absenceOf({ ...row, ...body });
    const person = await this.repository.person(row.employeeId);
    const halfDays = await this.weigh(person!, { ...absence, employeeId: row.employeeId, type });
    return { ...(row.name === labelOf(row) ? { name: labelOf(absence) } : {}), ...changes, ...absence, type, halfDays };
  }

  /** Nobody decides about their own time off; the manager of the employee needs no scope to decide. */
  protected override async transitAsCaller(
    transaction: Transaction,
    row: TimeOff,
    action: TimeOffAction,
    input: Input,
  ): Promise<TimeOffView> {
    const membershipId = callerOrNull()?.membershipId ?? null;
    if (membershipId === null || (action !== 'approve' && action !== 'reject'))
      return super.transitAsCaller(transaction, row, action, input);
    const person = await this.repository.person(row.employeeId);
    if (person?.membershipId === membershipId)
      throw new Problem('not_by_oneself', 'Nobody decides about their own time off; ask somebody else.');
    if (person?.managerMembershipId === membershipId) return this.transit(transaction, row, action, input);
    return super.transitAsCaller(transaction, row, action, input);
  }

  private async approve(row: TimeOff): Promise<Partial<TimeOff>> {
    return this.unit(async (transaction) => {
      const person = await this.repository.lockPerson(transaction, row.employeeId);
      if (!person || person.status === 'terminated')
        throw this.refusal(row, 'approve', 'The employee is no longer there.');
      const halfDays = halfDaysByYear(row, person.workSchedule);
      if (halfDays.size === 0) throw this.refusal(row, 'approve', 'The employee does not work on any of the days.');
      await this.balances.require(person, row.employeeId, row.type, halfDays, row.endDate);
      for (const [year, count] of halfDays) transaction.write(this.ledger.book(row, year, count, this.now()));
      await this.setTimers(transaction, row);
      return { decidedAt: this.now(), halfDays: totalOf(halfDays) };
    });
  }

  /** Sets the timers of the first and the last day. */
  private async setTimers(transaction: Transaction, { id, startDate, endDate }: TimeOff): Promise<void> {
    const beginsAt = await this.time.startOf(startDate);
    const endsAt = await this.time.endOf(endDate);
    transaction.write(timerStatement({ kind: LEAVE_BEGINS, key: id, dueAt: beginsAt }));
    transaction.write(timerStatement({ kind: LEAVE_ENDS, key: id, dueAt: endsAt }));
  }

  private async cancel(row: TimeOff): Promise<Partial<TimeOff>> {
    if (row.status === 'requested') return {};
    await this.unit(async (transaction) => {
      transaction.write(this.ledger.settle(row.id, 'released', this.now()));
      for (const kind of [LEAVE_BEGINS, LEAVE_ENDS]) transaction.write(cancelStatement({ kind, key: row.id }));
      await this.bringBack(transaction, row);
    });
    return {};
  }

  private async take(row: TimeOff): Promise<Partial<TimeOff>> {
    await this.unit(async (transaction) => {
      transaction.write(this.ledger.settle(row.id, 'used', this.now()));
      for (const kind of [LEAVE_BEGINS, LEAVE_ENDS]) transaction.write(cancelStatement({ kind, key: row.id }));
      await this.bringBack(transaction, row);
    });
    return {};
  }

  /** Ends the leave that an absence has caused, unless another one keeps the employee away. */
  private async bringBack(transaction: Transaction, row: TimeOff): Promise<void> {
    const today = await this.time.today();
    if (row.startDate > today || !(await this.isLong(row))) return;
    const { leaveStatusAfterDays } = (await this.settings.get()).people;
    const person = await this.repository.lockPerson(transaction, row.employeeId);
    if (person?.status !== 'on_leave') return;
    if (await this.repository.isAway(transaction, row, today, leaveStatusAfterDays)) return;
    await this.employees.follow('return', row.employeeId);
  }

  private async isLong({ startDate, endDate }: TimeOff): Promise<boolean> {
    return daysBetween(startDate, endDate) >= (await this.settings.get()).people.leaveStatusAfterDays;
  }

  /** The half days that an absence takes. @throws Problem 400 when it takes none, 409 when there are not enough left. */
  private async weigh(person: Person, row: Absence & Pick<TimeOff, 'employeeId' | 'type'>): Promise<number> {
    const halfDays = halfDaysByYear(row, person.workSchedule);
    if (halfDays.size === 0) throw invalid('/endDate', 'no_work_day', 'The employee works on none of the days.');
    await this.balances.require(person, row.employeeId, row.type, halfDays, row.endDate);
    return totalOf(halfDays);
  }
}

/** @throws Problem 400 for dates that make no absence. */
function absenceOf({ startDate, endDate, startHalf = false, endHalf = false }: Partial<Absence>): Absence {
  const absence = { startDate: startDate!, endDate: endDate!, startHalf, endHalf };
  if (absence.endDate < absence.startDate)
    throw invalid('/endDate', 'out_of_range', 'The last day cannot be before the first one.');
  if (daysBetween(absence.startDate, absence.endDate) > MAX_ABSENCE_DAYS)
    throw invalid('/endDate', 'out_of_range', `Time off has at most ${MAX_ABSENCE_DAYS} days.`);
  if (absence.startDate === absence.endDate && startHalf && endHalf)
    throw invalid('/endHalf', 'out_of_range', 'On a single day it cannot both begin and end at noon.');
  return absence;
}

function labelOf({ startDate, endDate }: Pick<Absence, 'startDate' | 'endDate'>): string {
  return `Time off ${startDate} to ${endDate}`;
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
