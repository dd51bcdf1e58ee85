import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { WorkSchedule } from '../employees/employee.parts.js';
import { TimeOff } from './time-off.js';

const PERSON = `select e.status, e.start_date as "startDate", e.termination_date as "terminationDate", e.work_schedule as "workSchedule",
    coalesce(e.calendar_id, d.calendar_id) as "calendarId",
    e.membership_id as "membershipId", m.membership_id as "managerMembershipId"
  from data.people_employees e left join data.people_employees m on m.tenant_id = $1 and m.id = e.manager_id
    left join data.people_departments d on d.tenant_id = $1 and d.id = e.department_id
  where e.tenant_id = $1 and e.id = $2 and e.deleted_at is null`;
const LOCK_PERSON = `${PERSON} for no key update of e`;
const AWAY_UNTIL = `select max(end_date)::text as "lastDay" from data.people_time_off
  where tenant_id = $1 and employee_id = $2 and id is distinct from $3 and status = 'approved' and deleted_at is null
    and start_date <= $4::date and end_date >= $4::date and end_date - start_date + 1 >= $5`;

const WAS_AWAY = `select exists (select 1 from data.people_time_off
  where tenant_id = $1 and employee_id = $2 and status in ('taken', 'cancelled') and deleted_at is null
    and start_date <= $3::date and end_date >= $3::date and end_date - start_date + 1 >= $4) as yes`;
const OPEN_AFTER = `select id from data.people_time_off
  where tenant_id = $1 and employee_id = $2 and end_date > $3::date and status in ('requested', 'approved')
    and deleted_at is null
  order by id`;

/** Data of the employee that time off depends on. */
export interface Person {
  status: string;
  startDate: string | null;
  /** Last day of the employment; null unless the employee leaves or has left. */
  terminationDate: string | null;
  workSchedule: WorkSchedule;
  /** Calendar of the employee or the department. */
  calendarId: string | null;
  membershipId: string | null;
  /** Membership of their manager. */
  managerMembershipId: string | null;
}

@Injectable()
export class TimeOffRepository extends ResourceRepository<TimeOff> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, TimeOff);
  }

  /** Null if the employee does not exist. */
  async person(employeeId: string): Promise<Person | null> {
    const [row] = await this.database.read<Person>(statement(PERSON, [currentTenant().id, employeeId]));
    return row ?? null;
  }

  /** Like {@link person}, and serializes decisions about the employee's time off until the transaction ends. */
  async lockPerson(transaction: Transaction, employeeId: string): Promise<Person | null> {
    const [row] = await transaction.query<Person>(statement(LOCK_PERSON, [currentTenant().id, employeeId]));
    return row ?? null;
  }

  /**
   * The last day of the approved absence that an employee has on a date and that is of at least the given number of days;
   * null if there is none. One absence can be ignored.
   */
  async awayUntil(
    transaction: Transaction,
    { id, employeeId }: { id: string | null; employeeId: string },
    date: string,
    days: number,
  ): Promise<string | null> {
    const query = statement(AWAY_UNTIL, [currentTenant().id, employeeId, id, date, days]);
    const [row] = await transaction.query<{ lastDay: string | null }>(query);
    return row!.lastDay;
  }

  /** Whether an employee had, on a date, an absence of at least the given number of days that is over or cancelled. */
  async wasAway(transaction: Transaction, employeeId: string, date: string, days: number): Promise<boolean> {
    const query = statement(WAS_AWAY, [currentTenant().id, employeeId, date, days]);
    const [row] = await transaction.query<{ yes: boolean }>(query);
    return row!.yes;
  }

  /** Ids of the requested and approved absences of an employee that end after a date. */
  async openAfter(transaction: Transaction, employeeId: string, date: string): Promise<string[]> {
    const query = statement(OPEN_AFTER, [currentTenant().id, employeeId, date]);
    return (await transaction.query<{ id: string }>(query)).map(({ id }) => id);
  }
}
