import { civilDate, id, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { LIVE_EMPLOYEE } from '../employees/employee.resource.js';
import { TIME_OFF_TYPES } from '../half-days.js';
import { CreateTimeOff, TIME_OFF_INPUTS, TimeOffView, UpdateTimeOff } from './time-off.dto.js';
import { TimeOff } from './time-off.entity.js';
import { type TimeOffAction, timeOffLifecycle } from './time-off.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'HR integration' };

export const timeOffResource: ResourceDefinition<TimeOff, TimeOffAction> = {
  type: 'people.time_off',
  noun: 'time off',
  area: 'people',
  collection: 'time-off',
  prefix: 'TO',
  entity: TimeOff,
  view: TimeOffView,
  create: CreateTimeOff,
  update: UpdateTimeOff,
  permissions: { read: 'time-off:read', write: 'time-off:write' },
  reach: {
    own: [
      `t.employee_id = any(array(select e.id from data.people_employees e where e.tenant_id = :tenant and e.membership_id = :me))`,
    ],
    workspace: workspaceOfWhole('data.people_employees', 'employee_id'),
  },
  lifecycle: timeOffLifecycle,
  stateField: 'status',
  defaults: { startHalf: false, endHalf: false },
  references: { employeeId: LIVE_EMPLOYEE },
  inputs: TIME_OFF_INPUTS,
  problems: {
    create: ['time_off_overlap', 'balance_exceeded'],
    update: ['time_off_overlap', 'balance_exceeded', 'record_locked', 'not_by_oneself', 'invalid_transition'],
    approve: ['balance_exceeded', 'not_by_oneself'],
    reject: ['not_by_oneself'],
    restore: ['time_off_overlap'],
  },
  bodies: {
    create: {
      employeeId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60',
      type: 'vacation',
      startDate: '2026-12-21',
      endDate: '2026-12-31',
    },
    update: { endDate: '2026-12-30' },
  },
  list: {
    filters: {
      ...recordFilters('people.time_off'),
      employeeId: filter.exact(id()),
      status: filter.exact(oneOf(timeOffLifecycle.states)),
      type: filter.exact(oneOf(TIME_OFF_TYPES)),
      startDate: filter.ordered(civilDate()),
      endDate: filter.ordered(civilDate()),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'startDate', 'endDate'],
    defaultSort: '-createdAt',
    trashPermission: 'time-off:write',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b63',
    object: 'people.time_off',
    reference: 'TO-000001',
    name: 'Time off 2026-12-21 to 2026-12-31',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    employeeId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60',
    type: 'vacation',
    status: 'requested',
    startDate: '2026-12-21',
    endDate: '2026-12-31',
    startHalf: false,
    endHalf: false,
    days: 9,
    note: null,
    decidedAt: null,
  },
};
