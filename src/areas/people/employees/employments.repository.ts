import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { id } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, type ListOptions, type ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { employmentList } from './employment.dto.js';
import { Employment } from './employment.entity.js';

const IN_FORCE = `select id from data.people_employments where tenant_id = $1 and employee_id = $2
  order by effective_date <= $3::date desc, case when effective_date <= $3::date then effective_date end desc,
    effective_date limit 1`;
const NEXT = `select min(effective_date)::date as date from data.people_employments
  where tenant_id = $1 and employee_id = $2 and effective_date > $3::date`;
const FORGET = `delete from data.people_employments e where e.tenant_id = $1 and e.employee_id = $2
  and e.effective_date > $3::date and e.effective_date > (
    select min(f.effective_date) from data.people_employments f where f.tenant_id = $1 and f.employee_id = $2)`;
const BRING_FORWARD = `update data.people_employments set effective_date = $3::date
  where tenant_id = $1 and employee_id = $2 and effective_date > $3::date`;
const HAND_OVER = `update data.people_employments set manager_id = case when employee_id = $3 then null else $3 end
  where tenant_id = $1 and manager_id = $2 and effective_date > $4::date`;
const OF_ONE: ListOptions = {
  ...employmentList,
  filters: { ...employmentList.filters, employeeId: filter.exact(id()) },
};

/** The rows of employment histories. */
@Injectable()
export class EmploymentsRepository extends ResourceRepository<Employment> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Employment);
  }

  /** One page of an employee's history (people_employments_effective_date_key). */
  pageOf(employeeId: string, request: ListRequest): Promise<Page<Employment>> {
    const own = { field: 'employeeId', operator: 'eq', value: employeeId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE);
  }

  /** The row in effect on a date: the newest one not after it, or the first row if all are later. */
  async inForce(transaction: Transaction, employeeId: string, date: string): Promise<Employment> {
    const [row] = await transaction.query<{ id: string }>(statement(IN_FORCE, [currentTenant().id, employeeId, date]));
    return (await this.lock(transaction, row!.id))!;
  }

  /** The date of the first row after a date; null if there is none. */
  async nextAfter(transaction: Transaction, employeeId: string, date: string): Promise<string | null> {
    const query = statement(NEXT, [currentTenant().id, employeeId, date]);
    const [row] = await transaction.query<{ date: string | null }>(query);
    return row!.date;
  }

  /** The statements that delete rows after a date; the first row is kept and starts by then at the latest. */
  forget(employeeId: string, date: string): Statement[] {
    return [FORGET, BRING_FORWARD].map((text) => statement(text, [currentTenant().id, employeeId, date]));
  }

  /** The statement that reassigns rows after a date from one manager to another. */
  handOver(managerId: string, successorId: string | null, date: string): Statement {
    return statement(HAND_OVER, [currentTenant().id, managerId, successorId, date]);
  }
}
