import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { mustExist } from '#libs/resource/access/references.js';
import { PeopleTime } from '../people-time.js';
import { LIVE_DEPARTMENT, LIVE_EMPLOYEE } from '../references.js';
import { START_DUE } from './departures.js';
import type { RehireEmployee } from './employee.actions.js';
import type { Employee } from './employee.js';
import { dayTaken, employmentColumns, invalid, payOf, tooClose } from './employee.rules.js';
import { EmployeeSecrets } from './employee-secrets.js';
import { EmployeesRepository } from './employees.repository.js';
import { type ChangeEmployment, NO_PAY } from './employment.dto.js';
import { EMPLOYMENT_FIELDS, type EmploymentFields, EmploymentHistory, fieldsOf } from './employment-history.js';

/** Changes of an employment and its history. All methods run in the open transaction. */
@Injectable()
export class EmploymentChanges {
  constructor(
    private readonly database: Database,
    private readonly repository: EmployeesRepository,
    private readonly history: EmploymentHistory,
    private readonly secrets: EmployeeSecrets,
    private readonly time: PeopleTime,
  ) {}

  /**
   * Adds a row to the history; returns the employee's current values.
   * @throws Problem 400 when nothing changes or the person is not employed by then, 403 for pay, 409 when the date has
   *   a row.
   */
  async change(row: Employee, input: ChangeEmployment): Promise<Partial<Employee>> {
    const { effectiveDate, reason = null } = input;
    const pay = payOf(input);
    const changes = employmentColumns({ ...input });
    if (!pay && Object.keys(changes).length === 0)
      throw invalid('', 'required', 'Say what changes: title, department, manager, kind of employment or pay.');
    if (changes.managerId === row.id) throw tooClose();
    if (row.terminationDate !== null && effectiveDate > row.terminationDate)
      throw invalid('/effectiveDate', 'out_of_range', 'The employment ends before that day.');
    return this.database.transaction(async (transaction) => {
      const before = await this.history.on(transaction, row.id, effectiveDate);
      const values = { ...before, ...changes, ...pay };
      expectTargets(transaction, changes);
      if (before.effectiveDate === effectiveDate) throw dayTaken();
      // Before its first row a history holds nothing, unless the first day was corrected to an earlier one since.
      const isBeforeHistory = before.effectiveDate > effectiveDate;
      if (isBeforeHistory && row.startDate !== null && effectiveDate < row.startDate)
        throw invalid('/effectiveDate', 'out_of_range', 'The employment begins after that day.');
      this.history.add(transaction, row.id, effectiveDate, values, reason);
      if (pay) transaction.write(this.secrets.payStatement(row, reason));
      const current = await this.history.on(transaction, row.id, await this.currentDate(row));
      await this.history.schedule(transaction, row.id);
      return { ...fieldsOf(current), employmentCount: row.employmentCount + 1 };
    });
  }

  /** Starts a new employment under the same number. @throws Problem 400 if before the end of the last one. */
  async rehire(row: Employee, { startDate }: RehireEmployee): Promise<Partial<Employee>> {
    if (startDate <= row.terminationDate!)
      throw invalid('/startDate', 'out_of_range', 'The first day must be after the last one of the employment before.');
    return this.database.transaction(async (transaction) => {
      const { managerId } = row;
      const stays = managerId !== null && (await this.repository.mayManage(transaction, managerId, row.id));
      const fields = { ...fieldsOf(row), managerId: stays ? managerId : null };
      this.history.add(transaction, row.id, startDate, { ...fields, ...NO_PAY }, null);
      await this.awaitStart(transaction, row.id, startDate);
      return {
        ...fields,
        startDate,
        employmentCount: row.employmentCount + 1,
        probationEndDate: null,
        contractEndDate: null,
        terminationDate: null,
        terminationType: null,
        terminationReason: null,
        accessRemovedAt: null,
      };
    });
  }

  /** The date of the history entry that an employee shows: today, or the first day if it is in the future. */
  async currentDate({ status, startDate }: Employee): Promise<string> {
    const today = await this.time.today();
    const isWaiting = status === 'pending' || status === 'onboarding';
    return isWaiting && startDate !== null && startDate > today ? startDate : today;
  }

  /** Writes changes of the employment to the history; returns the resulting changes of the employee. */
  async keep(transaction: Transaction, row: Employee, fields: Partial<EmploymentFields>): Promise<Partial<Employee>> {
    const moved = EMPLOYMENT_FIELDS.some((field) => field in fields && fields[field] !== row[field]);
    if (moved) expectTargets(transaction, fields);
    const added = moved ? await this.history.correct(transaction, row.id, await this.currentDate(row), fields) : 0;
    return { ...fields, employmentCount: row.employmentCount + added };
  }

  /** Moves the first day of an employee who has not started yet, with the first history row and the timer. */
  async startOn(transaction: Transaction, row: Employee, startDate: string | null): Promise<void> {
    if (row.status !== 'pending' && row.status !== 'onboarding') return;
    const entry = await this.history.on(transaction, row.id, await this.currentDate(row));
    const isFirst = row.employmentCount === 1 || entry.effectiveDate === row.startDate;
    if (isFirst) {
      const effectiveDate = startDate ?? (await this.time.today());
      const there = await this.history.on(transaction, row.id, effectiveDate);
      if (there.effectiveDate === effectiveDate && there.id !== entry.id) throw dayTaken();
      this.history.move(transaction, entry, effectiveDate);
    }
    if (startDate === null) transaction.write(cancelStatement({ kind: START_DUE, key: row.id }));
    else await this.awaitStart(transaction, row.id, startDate);
  }

  /** Sets the timer for the first day. */
  async awaitStart(transaction: Transaction, employeeId: string, startDate: string): Promise<void> {
    const dueAt = await this.time.startOf(startDate);
    transaction.write(timerStatement({ kind: START_DUE, key: employeeId, dueAt }));
  }
}

/**
 * Fails the transaction with a 400 if a reference does not exist, before a foreign key fails with a less precise error.
 */
function expectTargets(transaction: Transaction, { managerId, departmentId }: Partial<EmploymentFields>): void {
  if (managerId) transaction.write(mustExist(LIVE_EMPLOYEE, '/managerId', [managerId]));
  if (departmentId) transaction.write(mustExist(LIVE_DEPARTMENT, '/departmentId', [departmentId]));
}
