import { Injectable } from '@nestjs/common';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import { requirePermission } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Draft } from '#libs/resource/record.entity.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import type { Page } from '#libs/resource/resource.repository.js';
import type { ActionHandler } from '#libs/resource/resource-type.js';
import { ResourceService } from '#libs/resource/resource.service.js';
import { PeopleTime } from '../people-time.js';
import { Departures, START_DUE } from './departures.js';
import type { RehireEmployee, StartOffboarding, TerminateEmployee } from './employee.actions.js';
import type { EmployeeView, NewEmployee } from './employee.dto.js';
import type { Employee } from './employee.entity.js';
import type { EmployeeAction } from './employee.lifecycle.js';
import { namesOf } from './employee.names.js';
import { employeeResource } from './employee.resource.js';
import {
  checkPatch,
  dayTaken,
  employmentColumns,
  hasPay,
  payOf,
  plainColumns,
  refuseSelf,
  tooClose,
} from './employee.rules.js';
import { EmployeeSecrets } from './employee-secrets.js';
import { EmployeeViewers } from './employee-viewers.js';
import { EmployeesRepository } from './employees.repository.js';
import { type ChangeEmployment, type EmploymentView, NO_PAY } from './employment.dto.js';
import { EmploymentChanges } from './employment-changes.js';
import { EmploymentHistory, fieldsOf } from './employment-history.js';

type Input = Record<string, unknown>;

@Injectable()
export class EmployeesService extends ResourceService<Employee, EmployeeView, EmployeeAction> {
  protected override readonly handlers: Partial<Record<EmployeeAction, ActionHandler<Employee>>> = {
    activate: (row) => this.activate(row),
    suspend: (row) => this.departures.suspend(row),
    reinstate: (row) => this.departures.reinstate(row),
    start_offboarding: (row, input: StartOffboarding) => this.departures.announce(row, input),
    terminate: (row, input: TerminateEmployee) => this.terminate(row, input),
    rehire: (row, input: RehireEmployee) => this.changes.rehire(row, input),
    change_employment: (row, input: ChangeEmployment) => this.changes.change(row, input),
  };
  protected override readonly constraints = {
    people_employees_tree: tooClose,
    people_employees_manager_self: tooClose,
    people_employments_manager_self: tooClose,
    people_employments_effective_date_key: dayTaken,
  };

  constructor(
    kit: ResourceKit,
    protected override readonly repository: EmployeesRepository,
    private readonly history: EmploymentHistory,
    private readonly secrets: EmployeeSecrets,
    private readonly changes: EmploymentChanges,
    private readonly departures: Departures,
    private readonly viewers: EmployeeViewers,
    private readonly time: PeopleTime,
  ) {
    super(employeeResource, kit, repository);
  }

  override async list(query: Input): Promise<Page<EmployeeView>> {
    if (Object.keys(query).some((parameter) => parameter.startsWith('terminationDate')))
      requirePermission('employees.personal:read');
    await this.viewers.prepare();
    const { data, page } = await super.list(query);
    return { data: data.map((each) => this.viewers.withoutSecrets(each)), page };
  }

  override async get(id: string): Promise<EmployeeView> {
    await this.viewers.prepare();
    return super.get(id);
  }

  override async isOpen(id: string, permission: string | null, fields: readonly string[]): Promise<boolean> {
    await this.viewers.prepare();
    return super.isOpen(id, permission, fields);
  }

  override async create(input: Input): Promise<EmployeeView> {
    await this.viewers.prepare();
    return super.create(input);
  }

  /** Who changes managers takes the lock of the chart before the one of any row. */
  override async update(id: string, patch: Input): Promise<EmployeeView> {
    await this.viewers.prepare();
    if (!('managerId' in patch || 'status' in patch)) return super.update(id, patch);
    return this.inChart(() => super.update(id, patch));
  }

  override async act(action: EmployeeAction, id: string, input: Input): Promise<EmployeeView> {
    await this.viewers.prepare();
    if (action !== 'terminate' && action !== 'change_employment') return super.act(action, id, input);
    return this.inChart(() => super.act(action, id, input));
  }

  /** One page of the history of an employee. @throws Problem 404. */
  async listEmployments(id: string, query: Input): Promise<Page<EmploymentView>> {
    return this.history.list(await this.read(id), query);
  }

  /** Activates an employee whose first day has come; waits on when the tenant's days have been moved meanwhile. */
  async begin(id: string): Promise<void> {
    const row = await this.repository.find(id);
    if (row?.deletedAt !== null || (row.status !== 'pending' && row.status !== 'onboarding')) return;
    const { startDate } = row;
    if (startDate === null) return;
    if (startDate <= (await this.time.today())) await this.follow('activate', id);
    else await this.unit((transaction) => this.changes.awaitStart(transaction, id, startDate));
  }

  /** Terminates an employee whose last day is over, as {@link begin} activates them. */
  async end(id: string): Promise<void> {
    await this.inChart(async (transaction) => {
      const row = await this.repository.find(id);
      if (row?.deletedAt !== null || row.status !== 'offboarding') return;
      const lastDate = row.terminationDate!; // an offboarding has one
      if (lastDate < (await this.time.today())) await this.follow('terminate', id);
      else await this.departures.awaitEnd(transaction, id, lastDate);
    });
  }

  /** Has an employee show what the history says about today. A manager who can no longer be theirs is left out. */
  async takeEffect(id: string): Promise<void> {
    await this.inChart(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.deletedAt !== null || row.status === 'terminated') return;
      const entry = await this.history.on(transaction, id, await this.changes.currentDate(row));
      const changes = fieldsOf(entry);
      const { managerId } = changes;
      if (managerId !== null && !(await this.repository.mayManage(transaction, managerId, id))) {
        changes.managerId = row.managerId;
        this.history.rewrite(transaction, entry, row.managerId);
      }
      this.apply(transaction, row, changes, 'updated');
      await this.history.schedule(transaction, id);
    });
  }

  protected override derive(row: Employee): Partial<EmployeeView> {
    return { nationalId: row.nationalIdMask, bankAccount: row.bankAccountMask };
  }

  /** Managers name the next one, who sees what they see. */
  protected override async holdsOpened(row: Employee | null, permission: Permission): Promise<boolean> {
    if (!(await this.viewers.managersSeePersonal()) || (await super.holdsOpened(row, permission))) return true;
    return row !== null && this.viewers.seesPersonal(row);
  }

  protected override isAboutCaller(row: Employee): boolean {
    return this.viewers.seesPersonal(row);
  }

  protected override showToCaller(row: Employee): EmployeeView {
    return this.viewers.withoutSecrets(super.showToCaller(row));
  }

  protected override async draft(body: Input): Promise<Draft<Employee>> {
    const input = body as unknown as NewEmployee; // validated against it
    const { startDate = null } = input;
    const today = await this.time.today();
    const startsAt = startDate !== null && startDate > today ? await this.time.startOf(startDate) : null;
    const drafted: Partial<Employee> = {
      ...plainColumns(body),
      ...namesOf(input),
      status: startsAt !== null || input.status === 'pending' ? 'pending' : 'active',
      hire: { effectiveDate: startDate ?? today, startsAt, pay: payOf(input) ?? NO_PAY },
    };
    return drafted as Draft<Employee>; // the kit empties the other columns
  }

  protected override async prepare(body: Input): Promise<Employee> {
    const { membershipId } = body as Partial<NewEmployee>;
    if (membershipId != null) this.checkLink(membershipId);
    const row = await super.prepare(body);
    return { ...row, ...(await this.secrets.columnsOf(row.id, body)) };
  }

  protected override complete(draft: Draft<Employee>, number: number, input: Input = {}): Employee {
    return { ...super.complete(draft, number, input), employeeNumber: `EMP-${String(number).padStart(5, '0')}` };
  }

  protected override add(transaction: Transaction, { hire, ...row }: Employee): EmployeeView {
    if (row.managerId !== null) transaction.write(this.repository.chartLock()); // nobody terminates them meanwhile
    const shown = super.add(transaction, row);
    const { effectiveDate, startsAt, pay } = hire!; // draft() has set it
    transaction.write(this.history.begin(row, effectiveDate, pay));
    if (startsAt) transaction.write(timerStatement({ kind: START_DUE, key: row.id, dueAt: startsAt }));
    return shown;
  }

  protected override async edit(row: Employee, patch: Input): Promise<Partial<Employee>> {
    checkPatch(row, patch);
    if (patch['membershipId'] != null) this.checkLink(patch['membershipId'] as string);
    else if ('membershipId' in patch) requirePermission('employees:manage');
    const changes: Partial<Employee> = {
      ...('name' in patch ? { name: patch['name'] as string } : {}),
      ...plainColumns(patch, row),
      ...(await this.secrets.columnsOf(row.id, patch)),
    };
    return this.unit(async (transaction) => {
      const kept = await this.changes.keep(transaction, row, employmentColumns(patch));
      if (changes.startDate !== undefined && changes.startDate !== row.startDate)
        await this.changes.startOn(transaction, row, changes.startDate);
      return { ...changes, ...kept };
    });
  }

  protected override async transitAsCaller(
    transaction: Transaction,
    row: Employee,
    action: EmployeeAction,
    input: Input,
  ): Promise<EmployeeView> {
    refuseSelf(row);
    return super.transitAsCaller(transaction, row, action, input);
  }

  /** The gate is about pay alone. */
  protected override isGated(_row: Employee, _action: EmployeeAction | null, input: Input): boolean {
    return hasPay(input);
  }

  /** As {@link act}: what was approved is done in the name of who asked for it, who may have become that employee. */
  override async execute(action: EmployeeAction, id: string, input: Input, version: number): Promise<EmployeeView> {
    return this.inChart(async () => {
      refuseSelf(await this.read(id));
      return super.execute(action, id, input, version);
    });
  }

  /** The reason of a termination is personal: it stands in the record alone, not in the audit log. */
  protected override async transit(
    transaction: Transaction,
    row: Employee,
    action: EmployeeAction,
    input: Input,
  ): Promise<EmployeeView> {
    if (action === 'delete' && row.status === 'pending') await this.refuseHistory(transaction, row);
    if (action === 'restore' && row.startDate !== null)
      await this.changes.awaitStart(transaction, row.id, row.startDate);
    if (action !== 'terminate' && action !== 'start_offboarding') return super.transit(transaction, row, action, input);
    const { reason: terminationReason, ...rest } = input;
    return super.transit(transaction, row, action, { ...rest, terminationReason });
  }

  private async refuseHistory(transaction: Transaction, { id, employmentCount }: Employee): Promise<void> {
    if (employmentCount > 1 || (await this.repository.hasMoved(transaction, id)))
      throw new Problem('record_locked', 'An employee with a history cannot be deleted; terminate them.');
    if (await this.repository.isUsed(transaction, id))
      throw new Problem('in_use', 'Other records name the employee; change those first.');
  }

  /** Whether the caller may tie an employee to a membership. @throws Problem 403. */
  private checkLink(membershipId: string): void {
    requirePermission('employees:manage');
    refuseSelf({ membershipId });
  }

  private async activate({ id }: Employee): Promise<Partial<Employee>> {
    await this.unit(async (transaction) => transaction.write(cancelStatement({ kind: START_DUE, key: id })));
    return {};
  }

  private async terminate(row: Employee, input: TerminateEmployee): Promise<Partial<Employee>> {
    const changes = await this.departures.terminate(row, input, this.now());
    await this.unit(async (transaction) => {
      for (const id of await this.repository.reportsOf(transaction, row.id)) {
        const report = await this.lockPlainly(transaction, id);
        const changes = await this.changes.keep(transaction, report, { managerId: row.managerId });
        this.apply(transaction, report, changes, 'updated');
      }
    });
    return changes;
  }

  private inChart<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.unit(async (transaction) => {
      await this.repository.lockChart(transaction);
      return work(transaction);
    });
  }
}
