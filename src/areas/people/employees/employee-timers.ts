import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { PeopleTime } from '../people-time.js';
import { Departures, START_DUE, TERMINATION_DUE } from './departures.js';
import { EmployeeNotices } from './employee-notices.js';
import { EmployeesRepository } from './employees.repository.js';
import { EmployeesService } from './employees.service.js';
import { EmploymentChanges } from './employment-changes.js';
import { EMPLOYMENT_DUE, EmploymentHistory, fieldsOf } from './employment-history.js';

/** Timers of employees; rescheduled if the tenant's time zone has changed. */
@Injectable()
export class EmployeeTimers implements OnModuleInit {
  constructor(
    private readonly automations: Automations,
    private readonly employees: EmployeesService,
    private readonly repository: EmployeesRepository,
    private readonly history: EmploymentHistory,
    private readonly changes: EmploymentChanges,
    private readonly departures: Departures,
    private readonly notices: EmployeeNotices,
    private readonly time: PeopleTime,
  ) {}

  onModuleInit(): void {
    this.automations.timer({
      kind: START_DUE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.employees.begin(id),
    });
    this.automations.timer({
      kind: TERMINATION_DUE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.end(id),
    });
    this.automations.timer({
      kind: EMPLOYMENT_DUE,
      onBehalf: { of: 'tenant', because: 'date' },
      fire: (id) => this.takeEffect(id),
    });
  }

  /** Terminates an employee after the last day. */
  private async end(id: string): Promise<void> {
    await this.employees.inChart(async (transaction) => {
      const row = await this.repository.find(id);
      if (row?.deletedAt !== null || row.status !== 'offboarding') return;
      const lastDate = row.terminationDate!; // an offboarding has one
      if (lastDate < (await this.time.today())) await this.employees.records.follow('terminate', id);
      else await this.departures.awaitEnd(transaction, id, lastDate);
    });
  }

  /** Updates an employee from today's history. A manager who is no longer valid is omitted, which is told. */
  private async takeEffect(id: string): Promise<void> {
    await this.employees.inChart(async (transaction) => {
      const row = await this.repository.lock(transaction, id);
      if (row?.deletedAt !== null || row.status === 'terminated') return;
      const entry = await this.history.on(transaction, id, await this.changes.currentDate(row));
      const changes = fieldsOf(entry);
      const { managerId } = changes;
      const isDropped = managerId !== null && !(await this.repository.mayManage(transaction, managerId, id));
      if (isDropped) {
        changes.managerId = row.managerId;
        this.history.rewrite(transaction, entry, row.managerId);
      }
      const after = await this.employees.records.rows.apply(transaction, row, changes, 'updated');
      if (isDropped) await this.notices.tellOfDroppedManager(transaction, after, entry);
      await this.history.schedule(transaction, id);
    });
  }
}
