import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { Database } from '#libs/database/database.js';
import type { Transaction } from '#libs/database/transaction.js';
import { InvitationsService } from '#src/areas/access/invitations/invitations.service.js';
import { PeopleTime } from '../people-time.js';
import type { ChangeLastDay, StartOffboarding, TerminateEmployee } from './employee.actions.js';
import { EmployeeChecklists } from './employee-checklists.js';
import type { Employee } from './employee.js';
import { invalid } from './employee.rules.js';
import { EmployeesRepository } from './employees.repository.js';
import { EmploymentHistory } from './employment-history.js';
import { Handover } from './handover.js';
import { LeaveCover } from './leave-cover.js';
import { MemberAccess } from './member-access.js';

/** Fires when the first day of a pending employee begins; the key is the employee's id. */
export const START_DUE = 'people.employee.start_due';
/** Fires when the last day of an employee ends; the key is the employee's id. */
export const TERMINATION_DUE = 'people.employee.termination_due';

/** Effects of suspensions and terminations besides the state change. All methods run in the open transaction. */
@Injectable()
export class Departures {
  constructor(
    private readonly database: Database,
    private readonly repository: EmployeesRepository,
    private readonly history: EmploymentHistory,
    private readonly access: MemberAccess,
    private readonly invitations: InvitationsService,
    private readonly checklists: EmployeeChecklists,
    private readonly handover: Handover,
    private readonly cover: LeaveCover,
    private readonly time: PeopleTime,
  ) {}

  /** Revokes the access of a suspended employee. */
  async suspend(row: Employee): Promise<Partial<Employee>> {
    await this.removeAccess(row, { endKeys: false });
    return { suspendedFrom: row.status === 'on_leave' ? 'on_leave' : 'active' };
  }

  /** Restores the membership; the employee returns to the state before the suspension. */
  async reinstate(row: Employee): Promise<Partial<Employee>> {
    const { membershipId } = row;
    if (membershipId !== null)
      await this.database.transaction((transaction) => this.access.restore(transaction, membershipId));
    return { status: row.suspendedFrom ?? 'active', suspendedFrom: null };
  }

  /**
   * Sets the last day, at the end of which the employee is terminated, and starts the checklist, whose due dates count
   * from it. @throws Problem 400 if before the first day, or for the template; 403 as {@link requireRemovable}.
   */
  async announce(row: Employee, input: StartOffboarding): Promise<Partial<Employee>> {
    refuseBeforeStart(row, input.terminationDate);
    await this.requireRemovable(row);
    await this.write((transaction) => this.awaitEnd(transaction, row.id, input.terminationDate));
    await this.checklists.start(row, 'offboarding', input.terminationDate, input.templateId);
    return {
      terminationDate: input.terminationDate,
      terminationType: input.type,
      terminationReason: input.reason ?? null,
    };
  }

  /** The platform ends the access on the last day, so announcing it takes what ending it takes. @throws Problem 403. */
  async requireRemovable({ membershipId }: Pick<Employee, 'membershipId'>): Promise<void> {
    if (membershipId !== null)
      await this.write((transaction) => this.access.requireRemovable(transaction, membershipId));
  }

  /** Ends an offboarding; the employee returns to the state before it, or to a leave that is going on. */
  withdraw(row: Employee): Promise<Partial<Employee>> {
    return this.database.transaction(async (transaction) => {
      const { state, at } = await this.repository.beforeOffboarding(transaction, row.id);
      transaction.write(cancelStatement({ kind: TERMINATION_DUE, key: row.id }));
      await this.checklists.withdraw(transaction, row);
      const status = state === 'suspended' ? state : await this.cover.stateOf(transaction, row.id, state, at);
      return { status, terminationDate: null, terminationType: null, terminationReason: null };
    });
  }

  /** Moves the last day, with the checklist. @throws Problem 400 if before the first day; 403 as {@link requireRemovable}. */
  async postpone(row: Employee, { terminationDate }: ChangeLastDay): Promise<Partial<Employee>> {
    refuseBeforeStart(row, terminationDate);
    await this.requireRemovable(row);
    await this.write(async (transaction) => {
      await this.awaitEnd(transaction, row.id, terminationDate);
      await this.checklists.moveTo(transaction, row, terminationDate);
    });
    return { terminationDate };
  }

  /** Sets the timer for the last day. */
  async awaitEnd(transaction: Transaction, employeeId: string, lastDate: string): Promise<void> {
    const dueAt = await this.time.endOf(lastDate);
    transaction.write(timerStatement({ kind: TERMINATION_DUE, key: employeeId, dueAt }));
  }

  /**
   * Ends access, planned changes and timers of an employee, and starts the handover of open work.
   * @throws Problem 400 for a future day.
   */
  async terminate(row: Employee, input: TerminateEmployee, at: string): Promise<Partial<Employee>> {
    const today = await this.time.today();
    const announced = row.terminationDate !== null && row.terminationDate < today ? row.terminationDate : today;
    const terminationDate = input.terminationDate ?? announced;
    const terminationType = input.type ?? row.terminationType;
    if (terminationDate > today)
      throw invalid('/terminationDate', 'in_future', 'Terminating is at once; start the offboarding for a later day.');
    if (terminationType === null) throw invalid('/type', 'required', 'Say what kind of termination it is.');
    if (row.status !== 'pending' && row.status !== 'onboarding') refuseBeforeStart(row, terminationDate);
    await this.removeAccess(row, { endKeys: true });
    await this.write(async (transaction) => {
      await this.history.end(transaction, row.id, row.managerId);
      for (const kind of [START_DUE, TERMINATION_DUE]) transaction.write(cancelStatement({ kind, key: row.id }));
      await this.invitations.withdrawFor(transaction, row.id);
      this.handover.begin(transaction, row);
    });
    return {
      terminationDate,
      terminationType,
      terminationReason: input.reason ?? row.terminationReason,
      suspendedFrom: null,
      accessRemovedAt: at,
    };
  }

  /** Suspends the membership of an employee, if any. @throws Problem 403, 409 `last_owner`. */
  async removeAccess({ membershipId }: Employee, how: { endKeys: boolean }): Promise<void> {
    if (membershipId !== null) await this.write((transaction) => this.access.remove(transaction, membershipId, how));
  }

  private write(work: (transaction: Transaction) => Promise<void> | void): Promise<void> {
    return this.database.transaction(async (transaction) => work(transaction));
  }
}

function refuseBeforeStart(row: Employee, terminationDate: string): void {
  if (row.startDate !== null && terminationDate < row.startDate)
    throw invalid('/terminationDate', 'out_of_range', 'The last day cannot be before the first one.');
}
