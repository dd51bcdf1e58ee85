import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { activeManagerOf } from '#libs/members/active-manager.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Employee } from './employee.js';
import type { EmployeeAction } from './employee.lifecycle.js';

const REPORTS = `select id from data.people_employees
  where tenant_id = $1 and manager_id = $2 and status <> 'terminated' and deleted_at is null order by id`;
const OF_MEMBER = `select id from data.people_employees
  where tenant_id = $1 and membership_id = $2 and status <> 'terminated' and deleted_at is null`;
const MAY_MANAGE = `
  with recursive above (id) as (
    select m.id from data.people_employees m
      where m.tenant_id = $1 and m.id = $2 and m.status <> 'terminated' and m.deleted_at is null
    union select e.manager_id from data.people_employees e join above on above.id = e.id
      where e.tenant_id = $1 and e.manager_id is not null)
  select exists (select 1 from above) and not exists (select 1 from above where id = $3) as yes`;
const IS_USED = `select
  exists (select 1 from data.people_employees where tenant_id = $1 and manager_id = $2 and deleted_at is null)
  or exists (select 1 from data.people_departments where tenant_id = $1 and lead_employee_id = $2 and deleted_at is null)
  or exists (select 1 from data.people_time_off where tenant_id = $1 and employee_id = $2 and deleted_at is null) as yes`;
const ACTIVE_MANAGER = activeManagerOf('$2');
const IS_BEING_INVITED = `select
  exists (select 1 from data.invitations where tenant_id = $1 and employee_id = $2 and status = 'pending')
  or exists (select 1 from data.talent_mappings where tenant_id = $1 and id = $3 and status in ('applying', 'failed')
    and steps @> '[{"key":"invitation"}]') as yes`;
const CALENDAR = `select calendar_id as id from data.people_departments where tenant_id = $1 and id = $2`;
const LAST_MOVE = `select coalesce(max(occurred_at), '-infinity')::text as at from data.record_transitions
  where tenant_id = $1 and record_id = $2 and action = any($3)`;
const BEFORE_OFFBOARDING = `select from_state as state, occurred_at as at from data.record_transitions
  where tenant_id = $1 and record_id = $2 and action = 'start_offboarding' order by occurred_at desc limit 1`;
const AWAY_BEFORE = `select exists (select 1 from data.people_time_off where tenant_id = $1 and employee_id = $2
  and start_date < $4::date and start_date >= $3::date and status in ('requested', 'approved', 'taken')
  and deleted_at is null) as yes`;
const HAS_MOVED = `select exists (
  select 1 from data.record_transitions where tenant_id = $1 and record_id = $2) as yes`;

/** What an employee returns to when an offboarding is withdrawn. */
export interface StateBefore {
  state: 'active' | 'on_leave' | 'suspended';
  at: string;
}

interface Yes {
  yes: boolean;
}

@Injectable()
export class EmployeesRepository extends ResourceRepository<Employee> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Employee);
  }

  /**
   * Serializes changes of reporting lines. Must run before any row lock, because the trigger that prevents cycles
   * acquires the same lock.
   */
  async lockChart(transaction: Transaction): Promise<void> {
    await transaction.query(this.chartLock());
  }

  /** The statement of {@link lockChart}. */
  chartLock(): Statement {
    return oneByOne('people_employees');
  }

  /** Ids of the direct reports of an employee, in order. */
  async reportsOf(transaction: Transaction, id: string): Promise<string[]> {
    const rows = await transaction.query<{ id: string }>(statement(REPORTS, [currentTenant().id, id]));
    return rows.map((row) => row.id);
  }

  /** The employee of a membership; null if there is none. */
  async ofMember(membershipId: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(OF_MEMBER, [currentTenant().id, membershipId]));
    return row?.id ?? null;
  }

  /** The membership of the nearest manager who has an active one; null if there is none. */
  async activeManagerOf(transaction: Transaction, id: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(ACTIVE_MANAGER, [currentTenant().id, id]));
    return row?.id ?? null;
  }

  /** Whether an invitation of the employee is open, or the talent mapping that created them has yet to send it. */
  async isBeingInvited(transaction: Transaction, { id, mappingId }: Pick<Employee, 'id' | 'mappingId'>) {
    const [row] = await transaction.query<Yes>(statement(IS_BEING_INVITED, [currentTenant().id, id, mappingId]));
    return row!.yes;
  }

  /** The calendar of a department; null if it has none. */
  async calendarOf(departmentId: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string | null }>(
      statement(CALENDAR, [currentTenant().id, departmentId]),
    );
    return row?.id ?? null;
  }

  /** The last time at which one of these actions was taken on an employee; `-infinity` if there is none. */
  async lastMove(id: string, actions: readonly EmployeeAction[]): Promise<string> {
    const [row] = await this.database.read<{ at: string }>(statement(LAST_MOVE, [currentTenant().id, id, actions]));
    return row!.at;
  }

  /** The state that an employee had before the offboarding, and the instant at which it began. */
  async beforeOffboarding(transaction: Transaction, id: string): Promise<StateBefore> {
    const [row] = await transaction.query<StateBefore>(statement(BEFORE_OFFBOARDING, [currentTenant().id, id]));
    return row!; // employees get there by that action alone
  }

  /** Whether an employee has time off in this employment that begins before a date. */
  async isAwayBefore(transaction: Transaction, { id, startDate }: Employee, date: string): Promise<boolean> {
    const query = statement(AWAY_BEFORE, [currentTenant().id, id, startDate ?? '-infinity', date]);
    const [row] = await transaction.query<Yes>(query);
    return row!.yes;
  }

  /** Whether `managerId` is a live employee who does not report to `id`, directly or indirectly. */
  async mayManage(transaction: Transaction, managerId: string, id: string): Promise<boolean> {
    const [row] = await transaction.query<Yes>(statement(MAY_MANAGE, [currentTenant().id, managerId, id]));
    return row!.yes;
  }

  /** Whether other records reference the employee. */
  async isUsed(transaction: Transaction, id: string): Promise<boolean> {
    const [row] = await transaction.query<Yes>(statement(IS_USED, [currentTenant().id, id]));
    return row!.yes;
  }

  /** Whether the employee has ever changed state. */
  async hasMoved(transaction: Transaction, id: string): Promise<boolean> {
    const [row] = await transaction.query<Yes>(statement(HAS_MOVED, [currentTenant().id, id]));
    return row!.yes;
  }
}
