import type { Reference } from '#libs/resource/types/definition.js';

/** Employees that can be referenced as manager, department lead and so on. */
export const LIVE_EMPLOYEE: Reference = {
  table: 'data.people_employees',
  where: `deleted_at is null and status <> 'terminated'`,
};
/** Departments that employees can be assigned to. */
export const LIVE_DEPARTMENT: Reference = {
  table: 'data.people_departments',
  where: 'deleted_at is null and archived_at is null',
};
/** Calendars that employees and departments can use. */
export const LIVE_CALENDAR: Reference = { table: 'data.settings_calendars', where: 'archived_at is null' };
