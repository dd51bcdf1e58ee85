import { id, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { departmentInUse } from './department.queries.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';
import { LIVE_CALENDAR, LIVE_DEPARTMENT, LIVE_EMPLOYEE } from '../references.js';

/** An organisational unit. Departments form a tree of any depth. */
export class Department extends RecordRow {
  @Attribute(id(), 'Department that it is part of.', { nullable: true, names: LIVE_DEPARTMENT, filter: true })
  parentId!: string | null;

  @Attribute(id(), 'Employee who leads it.', { nullable: true, names: LIVE_EMPLOYEE, filter: true })
  leadEmployeeId!: string | null;

  @Attribute(text({ max: 60 }), 'Cost center.', { example: '4100', nullable: true })
  costCenter!: string | null;

  @Attribute(id(), 'Holidays and work week of its employees.', { nullable: true, names: LIVE_CALENDAR })
  calendarId!: string | null;
}

export const departments = recordType(Department, {
  area: 'people',
  collection: 'departments',
  noun: 'department',
  prefix: 'DEPT',
  permissions: { read: 'departments:read', write: 'departments:manage' },
  name: { example: 'Engineering' },
  defaultSort: 'name',
  createsTogether: true,
  keptWhile: { archive: departmentInUse('t.tenant_id', 't.id', ':now::date') },
  problems: { update: ['tree_cycle', 'record_locked'], archive: ['in_use'], delete: ['in_use'] },
  lifecycle: stateless({
    ...archiveActions('department', ['active'], 'departments:manage'),
    ...trashActions('department', ['active'], 'departments:manage', 'medium'),
  }),
});
