import { Injectable } from '@nestjs/common';
import { requirePermission, reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { addDays } from '#libs/kernel/civil-time.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Asked, Change, Decisions, Gating, Input } from '#libs/resource/types/decisions.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { Records } from '#libs/resource/records/records.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { PeopleTime } from '../people-time.js';
import { WorkCalendar } from '../work-calendar.js';
import { Departures, START_DUE } from './departures.js';
import type {
  ChangeLastDay,
  RehireEmployee,
  StartOffboarding,
  StartOnboarding,
  TerminateEmployee,
} from './employee.actions.js';
import { EmployeeChecklists } from './employee-checklists.js';
import { EmployeeInvitations } from './employee-invitations.js';
import { type Employee, employees, type ShownEmployee } from './employee.js';
import type { EmployeeAction } from './employee.lifecycle.js';
import { namesOf } from './employee.names.js';
import {
  checkPatch,
  dayTaken,
  employmentColumns,
  hasPay,
  invalid,
  payOf,
  plainColumns,
  refuseSelf,
  requireDates,
  tooClose,
} from './employee.rules.js';
import { EmployeeSecrets } from './employee-secrets.js';
import { EmployeeViewers } from './employee-viewers.js';
import { EmployeesRepository } from './employees.repository.js';
import { type ChangeEmployment, type EmploymentView, NO_PAY } from './employment.dto.js';
import { EmploymentChanges } from './employment-changes.js';
import { EmploymentHistory } from './employment-history.js';
import { LeaveCover } from './leave-cover.js';

type EmployeeDecisions = Decisions<Employee, ShownEmployee, EmployeeAction>;

@Injectable()
export class EmployeesService implements EmployeeDecisions {
  readonly actions: EmployeeDecisions['actions'] = {
    start_onboarding: (row, input: StartOnboarding) => this.startOnboarding(row, input),
    activate: (row) => this.activate(row),
    suspend: (row) => this.departures.suspend(row),
    reinstate: (row) => this.departures.reinstate(row),
    start_offboarding: (row, input: StartOffboarding) => this.departures.announce(row, input),
    withdraw_offboarding: (row) => this.departures.withdraw(row),
    change_last_day: (row, input: ChangeLastDay) => this.changeLastDay(row, input),
    terminate: (row, input: TerminateEmployee) => this.terminate(row, input),
    rehire: (row, input: RehireEmployee) => this.changes.rehire(row, input),
    change_employment: (row, input: ChangeEmployment) => this.changes.change(row, input),
  };
  readonly constraints = {
    people_employees_tree: tooClose,
    people_employees_manager_self: tooClose,
    people_employments_manager_self: tooClose,
    people_employments_effective_date_key: dayTaken,
  };
  readonly records: Records<Employee, ShownEmployee, EmployeeAction>;

  readonly gating: Gating<Employee, EmployeeAction> = { applies: (_row, _action, input) => hasPay(input) };

  constructor(
    kit: ResourceKit,
    private readonly repository: EmployeesRepository,
    private readonly history: EmploymentHistory,
    private readonly secrets: EmployeeSecrets,
    private readonly changes: EmploymentChanges,
    private readonly departures: Departures,
    private readonly cover: LeaveCover,
    private readonly checklists: EmployeeChecklists,
    private readonly invitations: EmployeeInvitations,
    private readonly viewers: EmployeeViewers,
    private readonly time: PeopleTime,
    private readonly workCalendar: WorkCalendar,
  ) {
    this.records = Records.of(employees, kit, this, repository);
  }

  /** One page of the history of an employee. @throws Problem 404. */
  async listEmployments(id: string, query: Input): Promise<Page<EmploymentView>> {
    return this.history.list(await this.records.read(id), query);
  }

  /** The membership of the nearest manager of an employee who has an active one; null if there is none. */
  activeManagerOf(transaction: Transaction, id: string): Promise<string | null> {
    return this.repository.activeManagerOf(transaction, id);
  }

  /** Activates an employee on the first day, or on the day after open items of the onboarding are settled. */
  async begin(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null || (row.status !== 'pending' && row.status !== 'onboarding')) return;
    const { startDate } = row;
    if (startDate === null) return;
    const today = await this.time.today();
    const isHeldBack = startDate <= today && (await this.checklists.openBeforeStart(row)).length > 0;
    const next = isHeldBack ? addDays(today, 1) : startDate;
    if (next <= today) await this.records.follow('activate', id);
    else await this.records.unit((transaction) => this.changes.awaitStart(transaction, id, next));
  }

  /** Ends the access of an employee, as a termination does. @throws Problem 403, 409 `last_owner`. */
  endAccess(row: Employee): Promise<void> {
    return this.departures.removeAccess(row, { endKeys: true });
  }

  /** Runs a transaction that locks the chart before any row, as every change of reporting lines must. */
  inChart<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.records.unit(async (transaction) => {
      await this.repository.lockChart(transaction);
      return work(transaction);
    });
  }

  /** A terminated employee needs the day and a kind of the termination; the numbers are stored beside their fields. */
  erased({ status, terminationDate }: Employee): Partial<Employee> {
    const numbers = { nationalId: null, nationalIdMask: null, bankAccount: null, bankAccountMask: null };
    return status === 'terminated' ? { ...numbers, terminationDate, terminationType: 'other' } : numbers;
  }

  async ready(query: Input = {}): Promise<void> {
    if (Object.keys(query).some((parameter) => /^(terminationDate|employedSince)/.test(parameter)))
      requirePermission('employees.personal:read');
    await this.viewers.prepare();
  }

  around<T>({ verb, input }: Asked<EmployeeAction>, work: (input: Input) => Promise<T>): Promise<T> {
    const movesManagers = verb === 'update' && ('managerId' in input || 'status' in input);
    if (!movesManagers && verb !== 'terminate' && verb !== 'change_employment') return work(input);
    return this.inChart(() => work(input));
  }

  derive(row: Employee): Partial<ShownEmployee> {
    return { nationalId: row.nationalIdMask, bankAccount: row.bankAccountMask };
  }

  present(view: ShownEmployee): ShownEmployee {
    return this.viewers.withoutSecrets(view);
  }

  isAboutCaller(row: Employee): boolean {
    return this.viewers.seesPersonal(row);
  }

  /** Managers may assign their successor, who gains the same visibility. */
  async holdsOpened(row: Employee | null, permission: Permission): Promise<boolean> {
    if (!(await this.viewers.managersSeePersonal()) || reachOf(permission) === 'tenant') return true;
    return row !== null && this.viewers.seesPersonal(row);
  }

  async draft(input: Partial<Employee>): Promise<Draft<Employee>> {
    const { membershipId, startDate = null, departmentId = null } = input;
    if (membershipId != null) this.checkLink(membershipId);
    const today = await this.time.today();
    requireDates(input, {}, today);
    const startsAt = startDate !== null && startDate > today ? await this.time.startOf(startDate) : null;
    const calendarId = input.calendarId ?? (departmentId && (await this.repository.calendarOf(departmentId)));
    const drafted: Partial<Employee> = {
      workSchedule: input.workSchedule ?? (await this.workCalendar.usualSchedule(calendarId)),
      ...plainColumns(input),
      ...namesOf(input),
      status: isWaiting(input, startsAt) ? 'pending' : 'active',
      hire: { effectiveDate: startDate ?? today, startsAt, pay: payOf(input) ?? NO_PAY },
    };
    return drafted as Draft<Employee>; // the kit empties the other columns
  }

  async complete(row: Employee, input: Input, number: number): Promise<Employee> {
    const employeeNumber = `EMP-${String(number).padStart(5, '0')}`;
    return { ...row, employeeNumber, ...(await this.secrets.columnsOf(row.id, input)) };
  }

  async edit(row: Employee, patch: Partial<Employee>): Promise<Partial<Employee>> {
    checkPatch(row, patch);
    requireDates(patch, row, await this.time.today());
    if (patch.membershipId != null) this.checkLink(patch.membershipId);
    else if ('membershipId' in patch) requirePermission('employees:manage');
    if (patch.membershipId != null && row.status === 'offboarding')
      await this.departures.requireRemovable({ membershipId: patch.membershipId });
    const changes: Partial<Employee> = {
      ...(patch.name === undefined ? {} : { name: patch.name }),
      ...plainColumns(patch, row),
      ...(await this.secrets.columnsOf(row.id, patch)),
    };
    return this.records.unit(async (transaction) => {
      const kept = await this.changes.keep(transaction, row, employmentColumns(patch));
      if (changes.startDate !== undefined && changes.startDate !== row.startDate)
        await this.moveStart(transaction, row, changes.startDate);
      return { ...changes, ...kept };
    });
  }

  /** Locks the chart so that a concurrent request cannot terminate the manager of a new employee. */
  async admit(transaction: Transaction, { managerId }: Employee): Promise<void> {
    if (managerId !== null) transaction.write(this.repository.chartLock());
  }

  async saved(transaction: Transaction, { before, after }: Change<Employee>): Promise<void> {
    if (before !== null) {
      await this.checklists.assignNewMember(transaction, before, after);
      return this.cover.follow(transaction, before, after);
    }
    const { effectiveDate, startsAt, pay } = after.hire!; // draft() has set it
    transaction.write(this.history.begin(after, effectiveDate, pay));
    if (startsAt) transaction.write(timerStatement({ kind: START_DUE, key: after.id, dueAt: startsAt }));
  }

  mayAct(row: Employee): boolean {
    refuseSelf(row);
    return false;
  }

  /** The gate covers only pay. */
  async prepare(transaction: Transaction, row: Employee, action: EmployeeAction): Promise<Employee> {
    if (action === 'delete' && row.status === 'pending') await this.refuseHistory(transaction, row);
    if (action === 'restore' && row.startDate !== null)
      await this.changes.awaitStart(transaction, row.id, row.startDate);
    return row;
  }

  /** @throws Problem 400 for a first day after one of the employee's time off. */
  private async moveStart(transaction: Transaction, row: Employee, startDate: string | null): Promise<void> {
    if (startDate !== null && (await this.repository.isAwayBefore(transaction, row, startDate)))
      throw invalid('/startDate', 'out_of_range', 'The employee has time off before that day; cancel it first.');
    await this.changes.startOn(transaction, row, startDate);
  }

  private async refuseHistory(transaction: Transaction, { id, employmentCount }: Employee): Promise<void> {
    if (employmentCount > 1 || (await this.repository.hasMoved(transaction, id)))
      throw new Problem('record_locked', 'An employee with a history cannot be deleted; terminate them.');
    if (await this.repository.isUsed(transaction, id))
      throw new Problem('in_use', 'Other records name the employee; change those first.');
  }

  /** Whether the caller may link an employee to a membership. @throws Problem 403. */
  private checkLink(membershipId: string): void {
    requirePermission('employees:manage');
    refuseSelf({ membershipId });
  }

  private async startOnboarding(row: Employee, { templateId }: StartOnboarding): Promise<Partial<Employee>> {
    await this.checklists.start(row, 'onboarding', row.startDate ?? (await this.time.today()), templateId);
    await this.records.unit((transaction) => this.invitations.invite(transaction, row));
    return {};
  }

  private async activate(row: Employee): Promise<Partial<Employee>> {
    await this.checklists.refuseOpen(row);
    await this.records.unit(async (transaction) =>
      transaction.write(cancelStatement({ kind: START_DUE, key: row.id })),
    );
    return {};
  }

  private changeLastDay(row: Employee, input: ChangeLastDay): Promise<Partial<Employee>> {
    if (input.terminationDate === row.terminationDate)
      throw this.records.rules.refusal(row, 'change_last_day', 'That is the last day already.');
    return this.departures.postpone(row, input);
  }

  private async terminate(row: Employee, input: TerminateEmployee): Promise<Partial<Employee>> {
    const { rows } = this.records;
    const changes = await this.departures.terminate(row, input, rows.now());
    await rows.unit(async (transaction) => {
      for (const id of await this.repository.reportsOf(transaction, row.id)) {
        const report = await rows.lockPlainly(transaction, id);
        const handedOver = await this.changes.keep(transaction, report, { managerId: row.managerId });
        await rows.apply(transaction, report, handedOver, 'updated');
      }
    });
    return changes;
  }
}

/** A talent mapping starts the checklist before the employment, see {@link EmployeesService.begin}. */
function isWaiting({ status, startDate, mappingId }: Partial<Employee>, startsAt: string | null): boolean {
  return startsAt !== null || (status === 'pending' && (!startDate || mappingId !== undefined));
}
