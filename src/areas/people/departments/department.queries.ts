import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Whether a department has employees, will have some after a date, or has subdepartments. */
export const departmentInUse = (tenant: string, id: string, date: string): string => `(
  exists (select from data.people_employees e
    where e.tenant_id = ${tenant} and e.department_id = ${id} and e.status <> 'terminated' and e.deleted_at is null)
  or exists (select from data.people_employments m
    join data.people_employees e on e.tenant_id = m.tenant_id and e.id = m.employee_id and e.deleted_at is null
    where m.tenant_id = ${tenant} and m.department_id = ${id} and m.effective_date > ${date})
  or exists (select from data.people_departments d
    where d.tenant_id = ${tenant} and d.parent_id = ${id} and d.archived_at is null and d.deleted_at is null))`;
const IS_USED = `select ${departmentInUse('$1', '$2', '$3::date')} as yes`;

/** Whether the department has or will have employees after a date, or has subdepartments. */
export const isUsed = (id: string, date: string): Statement => statement(IS_USED, [currentTenant().id, id, date]);
