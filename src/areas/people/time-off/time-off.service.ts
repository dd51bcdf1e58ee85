import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Decisions } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { daysBetween } from '../calendar.js';
import { EmployeesService } from '../employees/employees.service.js';
import { LeaveCover } from '../employees/leave-cover.js';
import { toDays } from '../half-days.js';
import { PeopleTime } from '../people-time.js';
import { WorkCalendar } from '../work-calendar.js';
import { type Absence, halfDaysByYear, MAX_ABSENCE_DAYS, totalOf } from './absence.js';
import { Balances } from './balances.js';
import { TimeOffLedgerRepository } from './time-off-ledger.repository.js';
import type { TimeOffAction } from './time-off.lifecycle.js';
import { type Person, TimeOffRepository } from './time-off.repository.js';
import { type ShownTimeOff, timeOff, type TimeOff } from './time-off.js';

type TimeOffDecisions = Decisions<TimeOff, ShownTimeOff, TimeOffAction>;

/** Fires when an approved absence begins or ends; the key is the absence's id. */
export const LEAVE_BEGINS = 'people.time_off.begins';
export const LEAVE_ENDS = 'people.time_off.ends';

const DATED = ['type', 'startDate', 'endDate', 'startHalf', 'endHalf'] as const;

@Injectable()
export class TimeOffService implements TimeOffDecisions {
  readonly actions: TimeOffDecisions['actions'] = {
    approve: (row) => this.approve(row),
    reject: () => ({ decidedAt: this.records.rows.now() }),
    cancel: (row) => this.cancel(row),
    take: (row) => this.take(row),
  };
  readonly constraints = {
    people_time_off_overlap: () =>
      new Problem('time_off_overlap', 'The employee has other time off that has not been rejected or cancelled then.'),
  };
  readonly records: Records<TimeOff, ShownTimeOff, TimeOffAction>;

  constructor(
    kit: ResourceKit,
    private readonly repository: TimeOffRepository,
    private readonly balances: Balances,
    private readonly ledger: TimeOffLedgerRepository,
    private readonly employees: EmployeesService,
    private readonly cover: LeaveCover,
    private readonly time: PeopleTime,
    private readonly settings: TenantSettings,
    private readonly workCalendar: WorkCalendar,
  ) {
    this.records = Records.of(timeOff, kit, this, repository);
  }

  /** Sets an employee on leave, or extends the leave, when a sufficiently long absence begins. */
  async begin(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.status !== 'approved' || !(await this.isLong(row))) return;
    if (row.startDate > (await this.time.today())) return this.setTimersAgain(row);
    const person = await this.repository.person(row.employeeId);
    if (person?.status === 'active') await this.employees.records.follow('leave', row.employeeId);
    if (person?.status === 'on_leave')
      await this.records.unit((transaction) => this.cover.begin(transaction, { ...person, id: row.employeeId }));
  }

  /** Records the end of an absence. */
  async end(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.status !== 'approved') return;
    if (row.endDate < (await this.time.today())) await this.records.follow('take', id);
    else await this.setTimersAgain(row);
  }

  /**
   * Cancels the requested and approved time off of an employee who has left, as far as it is after the last day. Of an
   * approved absence that has begun, the days until then are taken.
   */
  async endWith(employeeId: string): Promise<void> {
    const person = await this.repository.person(employeeId);
    const last = person?.terminationDate ?? null;
    if (person?.status !== 'terminated' || last === null) return;
    await this.records.unit(async (transaction) => {
      for (const id of await this.repository.openAfter(transaction, employeeId, last))
        await this.records.follow((await this.isBegun(id, person, last)) ? 'take' : 'cancel', id);
    });
  }

  /** The days count in balances and exclude others. */
  erased({ startDate, endDate, type }: TimeOff): Partial<TimeOff> {
    return { startDate, endDate, type };
  }

  derive(row: TimeOff): Partial<ShownTimeOff> {
    return { days: toDays(row.halfDays) };
  }

  async draft(body: Partial<TimeOff>): Promise<Draft<TimeOff>> {
    const input = body as TimeOff; // validated: what is missing here has a default
    const { employeeId, type, note = null } = input;
    const absence = absenceOf(input);
    const person = await this.repository.person(employeeId);
    if (!person) throw invalid('/employeeId', 'unknown_reference', 'There is no such record.');
    const halfDays = await this.weigh(person, { ...absence, employeeId, type });
    const name = input.name ?? labelOf(absence);
    return { name, employeeId, type, ...absence, halfDays, note, status: 'requested', decidedAt: null };
  }

  async edit(row: TimeOff, patch: Partial<TimeOff>): Promise<Partial<TimeOff>> {
    if (!DATED.some((field) => field in patch)) return patch;
    if (row.status !== 'requested')
      throw new Problem('record_locked', 'Time off that is decided stays as it is; cancel it and ask for other days.');
    const { employeeId, type } = { ...row, ...patch };
    const absence = absenceOf({ ...row, ...patch });
    const person = await this.repository.person(employeeId);
    const halfDays = await this.weigh(person!, { ...absence, employeeId, type });
    return { ...(row.name === labelOf(row) ? { name: labelOf(absence) } : {}), ...patch, ...absence, halfDays };
  }

  /** Employees cannot decide about their own time off; the manager needs no scope to decide. */
  async mayAct(row: TimeOff, action: TimeOffAction): Promise<boolean> {
    if (action !== 'approve' && action !== 'reject') return false;
    const person = await this.repository.person(row.employeeId);
    if (isBehindCaller(person?.membershipId ?? null))
      throw new Problem('not_by_oneself', 'Nobody decides about their own time off; ask somebody else.');
    const membershipId = callerOrNull()?.membershipId ?? null;
    return membershipId !== null && person?.managerMembershipId === membershipId;
  }

  /** Whether an absence is approved and has working days until a date. */
  private async isBegun(id: string, person: Person, last: string): Promise<boolean> {
    const row = await this.repository.find(id);
    if (row?.status !== 'approved' || row.startDate > last) return false;
    const until = { ...row, endDate: last, endHalf: false };
    return halfDaysByYear(until, person.workSchedule, await this.workCalendar.holidays(person.calendarId)).size > 0;
  }

  private async approve(row: TimeOff): Promise<Partial<TimeOff>> {
    const { rows, rules } = this.records;
    return this.records.unit(async (transaction) => {
      const person = await this.repository.lockPerson(transaction, row.employeeId);
      if (!person || outside(person, row) !== null)
        throw rules.refusal(row, 'approve', 'The employee is not employed on all of the days.');
      const halfDays = halfDaysByYear(row, person.workSchedule, await this.workCalendar.holidays(person.calendarId));
      if (halfDays.size === 0) throw rules.refusal(row, 'approve', 'The employee does not work on any of the days.');
      await this.balances.require(person, row.employeeId, row.type, halfDays, row.endDate);
      for (const [year, count] of halfDays) transaction.write(this.ledger.book(row, year, count, rows.now()));
      await this.setTimers(transaction, row);
      return { decidedAt: rows.now(), halfDays: totalOf(halfDays) };
    });
  }

  /** Sets the timers for the first and last day. */
  private async setTimers(transaction: Transaction, { id, startDate, endDate }: TimeOff): Promise<void> {
    const beginsAt = await this.time.startOf(startDate);
    const endsAt = await this.time.endOf(endDate);
    transaction.write(timerStatement({ kind: LEAVE_BEGINS, key: id, dueAt: beginsAt }));
    transaction.write(timerStatement({ kind: LEAVE_ENDS, key: id, dueAt: endsAt }));
  }

  /** Reschedules the timers after the tenant's time zone has changed. */
  private setTimersAgain(row: TimeOff): Promise<void> {
    return this.records.unit((transaction) => this.setTimers(transaction, row));
  }

  private async cancel(row: TimeOff): Promise<Partial<TimeOff>> {
    if (row.status === 'approved') await this.settle(row, 'released');
    return {};
  }

  /** If the employment has ended meanwhile, only the days until then are taken. */
  private async take(row: TimeOff): Promise<Partial<TimeOff>> {
    const person = (await this.repository.person(row.employeeId))!; // nobody with time off can be deleted
    const last = person.terminationDate;
    if (last === null || last >= row.endDate) {
      await this.settle(row, 'used');
      return {};
    }
    const cut = { ...row, endDate: last, endHalf: false };
    const worked = halfDaysByYear(cut, person.workSchedule, await this.workCalendar.holidays(person.calendarId));
    await this.settle(row, 'used', worked);
    const name = row.name === labelOf(row) ? labelOf(cut) : row.name;
    return { name, endDate: last, endHalf: false, halfDays: totalOf(worked) };
  }

  /**
   * Settles the ledger entries of an approved absence and ends the leave that it caused.
   * @param worked half days by year that are used; the others are released. All by default
   */
  private async settle(row: TimeOff, how: 'released' | 'used', worked?: ReadonlyMap<number, number>): Promise<void> {
    await this.records.unit(async (transaction) => {
      const now = this.records.rows.now();
      if (worked === undefined) transaction.write(this.ledger.settle(row.id, how, now));
      else transaction.write(this.ledger.divide(row.id, worked, now));
      for (const kind of [LEAVE_BEGINS, LEAVE_ENDS]) transaction.write(cancelStatement({ kind, key: row.id }));
      await this.bringBack(transaction, row);
    });
  }

  /** Ends the leave caused by an absence, unless another absence applies. */
  private async bringBack(transaction: Transaction, row: TimeOff): Promise<void> {
    const today = await this.time.today();
    if (row.startDate > today || !(await this.isLong(row))) return;
    const { leaveStatusAfterDays } = (await this.settings.get()).people;
    const person = await this.repository.lockPerson(transaction, row.employeeId);
    if (person?.status !== 'on_leave') return;
    if ((await this.repository.awayUntil(transaction, row, today, leaveStatusAfterDays)) === null)
      await this.employees.records.follow('return', row.employeeId);
    else await this.cover.begin(transaction, { ...person, id: row.employeeId }, row.id);
  }

  private async isLong({ startDate, endDate }: TimeOff): Promise<boolean> {
    return daysBetween(startDate, endDate) >= (await this.settings.get()).people.leaveStatusAfterDays;
  }

  /** The half days covered by an absence. @throws Problem 400 for none, 409 when the balance is too low. */
  private async weigh(person: Person, row: Absence & Pick<TimeOff, 'employeeId' | 'type'>): Promise<number> {
    const pointer = outside(person, row);
    if (pointer !== null)
      throw invalid(pointer, 'out_of_range', 'Time off lies between the first and the last day of the employment.');
    const halfDays = halfDaysByYear(row, person.workSchedule, await this.workCalendar.holidays(person.calendarId));
    if (halfDays.size === 0) throw invalid('/endDate', 'no_work_day', 'The employee works on none of the days.');
    await this.balances.require(person, row.employeeId, row.type, halfDays, row.endDate);
    return totalOf(halfDays);
  }
}

/** @throws Problem 400 for invalid dates. */
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

/** The date of an absence that lies outside the employment; null if both are inside. */
function outside({ startDate, terminationDate }: Person, absence: Pick<Absence, 'startDate' | 'endDate'>) {
  if (startDate !== null && absence.startDate < startDate) return '/startDate';
  if (terminationDate === null || absence.endDate <= terminationDate) return null;
  return absence.startDate > terminationDate ? '/startDate' : '/endDate';
}

function labelOf({ startDate, endDate }: Pick<Absence, 'startDate' | 'endDate'>): string {
  return `Time off ${startDate} to ${endDate}`;
}

function invalid(pointer: string, code: string, detail: string): Problem {
  return Problem.validation([{ pointer, code, detail }]);
}
