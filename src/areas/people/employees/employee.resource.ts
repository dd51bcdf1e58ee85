import { civilDate, id, oneOf, text } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { CreateEmployee, EMPLOYEE_INPUTS, EmployeeView, PERSONAL_FIELDS, UpdateEmployee } from './employee.dto.js';
import { Employee } from './employee.entity.js';
import { type EmployeeAction, employeeLifecycle } from './employee.lifecycle.js';
import { country, EMPLOYMENT_TYPES, USUAL_SCHEDULE } from './employee.parts.js';
import { PAY_FIELDS, SENSITIVE_FIELDS } from './employment.dto.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'HR integration' };

/** Employees that may be named as somebody's manager, as the lead of a department, and so on. */
export const LIVE_EMPLOYEE = { table: 'data.people_employees', where: `deleted_at is null and status <> 'terminated'` };
/** Departments that somebody can be put into. */
export const LIVE_DEPARTMENT = {
  table: 'data.people_departments',
  where: 'deleted_at is null and archived_at is null',
};

const skill = () => ({ ...text({ min: 1, max: 60 }), parse: fold });

export const employeeResource: ResourceDefinition<Employee, EmployeeAction> = {
  type: 'people.employee',
  noun: 'employee',
  area: 'people',
  collection: 'employees',
  prefix: 'EMP',
  entity: Employee,
  view: EmployeeView,
  create: CreateEmployee,
  update: UpdateEmployee,
  permissions: { read: 'employees:read', write: 'employees:write' },
  reach: {
    own: ['t.membership_id = :me'],
  },
  lifecycle: employeeLifecycle,
  stateField: 'status',
  defaults: {
    employmentType: 'full_time',
    employmentCount: 1,
    emergencyContacts: [],
    skills: [],
    workSchedule: USUAL_SCHEDULE,
  },
  references: {
    departmentId: LIVE_DEPARTMENT,
    managerId: { ...LIVE_EMPLOYEE, opens: 'employees.personal:read' },
    membershipId: MEMBER,
  },
  restricted: [
    { fields: PERSONAL_FIELDS, permission: 'employees.personal:read' },
    { fields: SENSITIVE_FIELDS, permission: 'employees.sensitive:read' },
    { fields: PAY_FIELDS, permission: 'employees.compensation:write' },
  ],
  inputs: EMPLOYEE_INPUTS,
  besides: {
    list: [{ scope: 'employees.personal:read', when: 'To filter by `terminationDate`.' }],
    create: [{ scope: 'employees:manage', when: 'With `membershipId`.' }],
    update: [{ scope: 'employees:manage', when: 'With `membershipId`.' }],
  },
  problems: {
    create: ['duplicate', 'field_forbidden', 'not_by_oneself'],
    update: [
      'duplicate',
      'field_forbidden',
      'invalid_transition',
      'not_by_oneself',
      'record_locked',
      'tree_cycle',
      'last_owner',
      'seat_limit',
    ],
    start_onboarding: ['not_by_oneself'],
    activate: ['not_by_oneself'],
    leave: ['not_by_oneself'],
    return: ['not_by_oneself'],
    suspend: ['not_by_oneself', 'last_owner'],
    reinstate: ['not_by_oneself', 'seat_limit'],
    start_offboarding: ['not_by_oneself'],
    terminate: ['not_by_oneself', 'tree_cycle', 'last_owner'],
    rehire: ['not_by_oneself', 'duplicate'],
    change_employment: ['not_by_oneself', 'field_forbidden', 'duplicate', 'tree_cycle'],
    delete: ['in_use', 'not_by_oneself'],
    restore: ['duplicate', 'not_by_oneself'],
  },
  bodies: {
    create: { name: 'Ada Okafor', jobTitle: 'Engineer', workEmail: 'ada@acme.test', startDate: '2026-11-02' },
    update: { jobTitle: 'Senior engineer' },
    change_employment: { effectiveDate: '2027-01-01', jobTitle: 'Senior engineer', reason: 'Promotion' },
  },
  list: {
    filters: {
      ...recordFilters('people.employee'),
      status: filter.exact(oneOf(employeeLifecycle.states)),
      departmentId: filter.exact(id(), true),
      managerId: filter.exact(id(), true),
      employmentType: filter.exact(oneOf(EMPLOYMENT_TYPES)),
      'location.country': { ...filter.exact(country(), true), sql: 't.country' },
      startDate: filter.ordered(civilDate(), true),
      terminationDate: filter.ordered(civilDate(), true),
      skill: filter.related(
        skill(),
        `exists (select 1 from data.people_skills x where x.tenant_id = t.tenant_id and x.skill = any(:values)
          and x.employee_id = t.id)`,
      ),
      membershipId: filter.member(true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'employeeNumber', 'startDate', 'status'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'employees:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60',
    object: 'people.employee',
    reference: 'EMP-000001',
    name: 'Ada Okafor',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    employeeNumber: 'EMP-00001',
    status: 'active',
    firstName: 'Ada',
    lastName: 'Okafor',
    preferredName: null,
    workEmail: 'ada@acme.test',
    jobTitle: 'Engineer',
    departmentId: null,
    managerId: null,
    employmentType: 'full_time',
    employmentCount: 1,
    location: { country: 'DE', region: null, city: 'Berlin', remote: false, timezone: 'Europe/Berlin' },
    startDate: '2026-11-02',
    probationEndDate: null,
    contractEndDate: null,
    accessRemovedAt: null,
    skills: [{ name: 'TypeScript', level: 4 }],
    workSchedule: USUAL_SCHEDULE,
    membershipId: null,
  },
};
