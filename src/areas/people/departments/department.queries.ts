import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const LOCK_TREE = `select pg_advisory_xact_lock(hashtextextended('people_departments|' || $1::uuid::text, 0))`;
const IS_USED = `select
  exists (select 1 from data.people_employees
    where tenant_id = $1 and department_id = $2 and status <> 'terminated' and deleted_at is null)
  or exists (select 1 from data.people_employments where tenant_id = $1 and department_id = $2 and effective_date > $3::date)
  or exists (select 1 from data.people_departments
    where tenant_id = $1 and parent_id = $2 and archived_at is null and deleted_at is null) as yes`;

/** Serializes changes of the department tree; must run before any row lock. */
export const lockTree = (): Statement => statement(LOCK_TREE, [currentTenant().id]);

/** Whether the department has or will have employees after a date, or has subdepartments. */
export const isUsed = (id: string, date: string): Statement => statement(IS_USED, [currentTenant().id, id, date]);
