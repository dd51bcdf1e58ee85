import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { callerOrNull } from '#libs/auth/current-principal.js';
import { PeopleTime } from '../people-time.js';
import { EmployeeSecrets } from './employee-secrets.js';
import type { Employee } from './employee.js';
import { employmentList, type EmploymentView, NO_PAY, type Pay, PAY_FIELDS } from './employment.dto.js';
import type { Employment } from './employment.entity.js';
import { EmploymentsRepository } from './employments.repository.js';

/** Employee fields stored in the history. */
export const EMPLOYMENT_FIELDS = ['jobTitle', 'departmentId', 'managerId', 'employmentType'] as const;
export type EmploymentFields = Pick<Employee, (typeof EMPLOYMENT_FIELDS)[number]>;

/** Fires when the next row of an employee's history takes effect; its key is the employee's id. */
export const EMPLOYMENT_DUE = 'people.employment.due';

/** Past, current and planned employment by date. Each row contains all values from its date on. */
@Injectable()
export class EmploymentHistory {
  constructor(
    private readonly database: Database,
    private readonly repository: EmploymentsRepository,
    private readonly secrets: EmployeeSecrets,
    private readonly time: PeopleTime,
  ) {}

  /** One page of the history of an employee. Showing pay is recorded before the response is sent. */
  async list(employee: Employee, query: Record<string, unknown>): Promise<Page<EmploymentView>> {
    return this.database.transaction(async (transaction) => {
      const { data, page } = await this.repository.pageOf(employee.id, toListRequest(employmentList, query));
      const showsPay = callerOrNull()?.permissions.reach('employees.compensation:read') === 'tenant';
      if (showsPay && data.some(({ payAmountMinor }) => payAmountMinor !== null))
        transaction.write(this.secrets.readingStatement(employee, null, ['payAmountMinor']));
      return { data: data.map((row) => present(row, showsPay)), page };
    });
  }

  /** The statement that begins the history of a new employee. */
  begin(employee: Employee, effectiveDate: string, pay: Pay): Statement {
    return this.repository.insert(
      entryOf(employee.id, effectiveDate, { ...fieldsOf(employee), ...pay }, null, this.time.now()),
    );
  }

  /** The row in effect on a date. */
  on(transaction: Transaction, employeeId: string, date: string): Promise<Employment> {
    return this.repository.inForce(transaction, employeeId, date);
  }

  /** Adds a row that applies until the next one. Violates the unique key if the date has a row. */
  add(
    transaction: Transaction,
    employeeId: string,
    effectiveDate: string,
    values: EmploymentFields & Pay,
    reason: string | null,
  ): void {
    transaction.write(this.repository.insert(entryOf(employeeId, effectiveDate, values, reason, this.time.now())));
  }

  /**
   * Applies an edit of the employee to the history: from a date on, or in a future row. Returns the number of added
   * rows.
   */
  async correct(
    transaction: Transaction,
    employeeId: string,
    date: string,
    changes: Partial<EmploymentFields>,
  ): Promise<number> {
    const row = await this.repository.inForce(transaction, employeeId, date);
    if (row.effectiveDate >= (await this.time.today())) {
      transaction.write(this.repository.replace({ ...row, ...changes }));
      return 0;
    }
    this.add(transaction, employeeId, date, { ...row, ...changes }, null);
    return 1;
  }

  /** Moves a row to another date. */
  move(transaction: Transaction, row: Employment, effectiveDate: string): void {
    transaction.write(this.repository.replace({ ...row, effectiveDate }));
  }

  /** Removes the future rows of a departing employee and reassigns planned reports. */
  async end(transaction: Transaction, employeeId: string, successorId: string | null): Promise<void> {
    const today = await this.time.today();
    for (const each of this.repository.forget(employeeId, today)) transaction.write(each);
    transaction.write(this.repository.handOver(employeeId, successorId, today));
    transaction.write(cancelStatement({ kind: EMPLOYMENT_DUE, key: employeeId }));
  }

  /** Sets the timer for the next future row. */
  async schedule(transaction: Transaction, employeeId: string): Promise<void> {
    const next = await this.repository.nextAfter(transaction, employeeId, await this.time.today());
    if (next === null) return;
    const dueAt = await this.time.startOf(next);
    transaction.write(timerStatement({ kind: EMPLOYMENT_DUE, key: employeeId, dueAt }));
  }

  /** Replaces the manager of a planned row. */
  rewrite(transaction: Transaction, row: Employment, managerId: string | null): void {
    transaction.write(this.repository.replace({ ...row, managerId }));
  }
}

/** The history fields of a row or an employee. */
export function fieldsOf({ jobTitle, departmentId, managerId, employmentType }: EmploymentFields): EmploymentFields {
  return { jobTitle, departmentId, managerId, employmentType };
}

function entryOf(
  employeeId: string,
  effectiveDate: string,
  values: EmploymentFields & Partial<Pay>,
  reason: string | null,
  at: string,
): Employment {
  const { payAmountMinor, payCurrency, payPeriod } = { ...NO_PAY, ...values };
  return {
    tenantId: currentTenant().id,
    id: uuidv7(),
    employeeId,
    effectiveDate,
    ...fieldsOf(values),
    payAmountMinor,
    payCurrency,
    payPeriod,
    reason,
    createdAt: at,
    createdBy: currentScope().actor,
  };
}

function present({ tenantId: _, ...row }: Employment, showsPay: boolean): EmploymentView {
  if (showsPay) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([field]) => !(PAY_FIELDS as readonly string[]).includes(field)),
  ) as unknown as EmploymentView; // the same without pay, which the view may leave out
}
