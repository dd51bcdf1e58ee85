import type { Reference } from '#libs/resource/types/definition.js';

/** Employees that may be named as somebody's manager, as the lead of a department, and so on. */
export const LIVE_EMPLOYEE: Reference = {
  table: 'data.people_employees',
  where: `deleted_at is null and status <> 'terminated'`,
};
/** Departments that somebody can be put into. */
export const LIVE_DEPARTMENT: Reference = {
  table: 'data.people_departments',
  where: 'deleted_at is null and archived_at is null',
};
