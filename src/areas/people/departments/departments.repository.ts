import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Department } from './department.js';

const LOCK_TREE = `select pg_advisory_xact_lock(hashtextextended('people_departments|' || $1::uuid::text, 0))`;
const IS_USED = `select
  exists (select 1 from data.people_employees
    where tenant_id = $1 and department_id = $2 and status <> 'terminated' and deleted_at is null)
  or exists (select 1 from data.people_employments where tenant_id = $1 and department_id = $2 and effective_date > $3::date)
  or exists (select 1 from data.people_departments
    where tenant_id = $1 and parent_id = $2 and archived_at is null and deleted_at is null) as yes`;

@Injectable()
export class DepartmentsRepository extends ResourceRepository<Department> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Department);
  }

  /** Waits for everyone else who changes which department is part of which; before any row is locked. */
  async lockTree(transaction: Transaction): Promise<void> {
    await transaction.query(statement(LOCK_TREE, [currentTenant().id]));
  }

  /** Whether somebody is in the department or will be after a date, or another department is part of it. */
  async isUsed(transaction: Transaction, id: string, date: string): Promise<boolean> {
    const [row] = await transaction.query<{ yes: boolean }>(statement(IS_USED, [currentTenant().id, id, date]));
    return row!.yes;
  }
}
