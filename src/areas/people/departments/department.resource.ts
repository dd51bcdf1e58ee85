import { id } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { LIVE_DEPARTMENT, LIVE_EMPLOYEE } from '../employees/employee.resource.js';
import { CreateDepartment, DepartmentView, UpdateDepartment } from './department.dto.js';
import { Department } from './department.entity.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'HR integration' };

export const departmentLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    archive: {
      from: ['active'],
      to: null,
      permission: 'departments:manage',
      event: 'updated',
      summary: 'Archive a department that nobody is in',
      happened: 'Fields of a department changed.',
    },
    unarchive: {
      from: ['active'],
      to: null,
      permission: 'departments:manage',
      event: 'updated',
      summary: 'Bring a department back from the archive',
      happened: 'Fields of a department changed.',
    },
    delete: {
      from: ['active'],
      to: null,
      permission: 'departments:manage',
      event: 'deleted',
      summary: 'Put a department that nobody is in into the trash',
      happened: 'A department was put into the trash.',
      risk: 'medium',
    },
    restore: {
      from: ['active'],
      to: null,
      permission: 'departments:manage',
      event: 'restored',
      summary: 'Bring a department back from the trash',
      happened: 'A department was brought back from the trash.',
    },
  },
});

export type DepartmentAction = keyof typeof departmentLifecycle.transitions;

export const departmentResource: ResourceDefinition<Department, DepartmentAction> = {
  type: 'people.department',
  noun: 'department',
  area: 'people',
  collection: 'departments',
  prefix: 'DEPT',
  entity: Department,
  view: DepartmentView,
  create: CreateDepartment,
  update: UpdateDepartment,
  permissions: { read: 'departments:read', write: 'departments:manage' },
  lifecycle: departmentLifecycle,
  createsTogether: true,
  references: { parentId: LIVE_DEPARTMENT, leadEmployeeId: LIVE_EMPLOYEE },
  inputs: {},
  problems: { update: ['tree_cycle', 'record_locked'], archive: ['in_use'], delete: ['in_use'] },
  bodies: { create: { name: 'Engineering', costCenter: '4100' }, update: { costCenter: '4200' } },
  list: {
    filters: {
      ...recordFilters('people.department'),
      parentId: filter.exact(id(), true),
      leadEmployeeId: filter.exact(id(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: 'name',
    searchable: true,
    trashPermission: 'departments:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b61',
    object: 'people.department',
    reference: 'DEPT-000001',
    name: 'Engineering',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    parentId: null,
    leadEmployeeId: null,
    costCenter: '4100',
  },
};
