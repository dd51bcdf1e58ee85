import { civilDate, flag, id, integer, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { CreateTimeEntry, DAY_MINUTES, timeEntryInputs, TimeEntryView, UpdateTimeEntry } from './time-entry.dto.js';
import { TimeEntry } from './time-entry.entity.js';
import { type TimeEntryAction, timeEntryLifecycle } from './time-entry.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const timeEntryResource: ResourceDefinition<TimeEntry, TimeEntryAction> = {
  type: 'work.time_entry',
  noun: 'time entry',
  area: 'work',
  collection: 'time-entries',
  prefix: 'TIME',
  entity: TimeEntry,
  view: TimeEntryView,
  create: CreateTimeEntry,
  update: UpdateTimeEntry,
  permissions: { read: 'time-entries:read', write: 'time-entries:write' },
  reach: {
    own: ['t.membership_id = :me'],
    workspace: workspaceOfWhole('data.work_projects', 'project_id'),
  },
  lifecycle: timeEntryLifecycle,
  stateField: 'status',
  references: { membershipId: MEMBER },
  named: { projectId: { table: 'data.work_projects' }, taskId: { table: 'data.work_tasks' } },
  inputs: timeEntryInputs,
  problems: {
    create: ['limit_reached'],
    update: ['invalid_transition', 'limit_reached', 'not_an_approver', 'record_locked', 'timer_running'],
    submit: ['timer_running'],
    approve: ['not_an_approver'],
    restore: ['limit_reached', 'timer_running'],
  },
  bodies: {
    create: { note: 'Moved the data', taskId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', minutes: 90, billable: true },
    update: { minutes: 75 },
  },
  list: {
    filters: {
      ...recordFilters('work.time_entry'),
      membershipId: filter.member(),
      projectId: filter.exact(id(), true),
      taskId: filter.exact(id(), true),
      workDate: filter.ordered(civilDate()),
      minutes: filter.ordered(integer({ min: 1, max: DAY_MINUTES }), true),
      status: filter.exact(oneOf(timeEntryLifecycle.states)),
      billable: filter.exact(flag()),
      isRunning: filter.condition(`(t.running_since is not null)`),
      invoiceLineId: filter.exact(id(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'workDate', 'minutes'],
    defaultSort: '-createdAt',
    trashPermission: 'time-entries:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'work.time_entry',
    reference: 'TIME-000042',
    name: 'Moved the data',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b23',
    projectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    taskId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    workDate: '2026-11-20',
    minutes: 90,
    runningSince: null,
    billable: true,
    note: 'Moved the data',
    status: 'draft',
    rejectedReason: null,
    approvedAt: null,
    rateMinor: null,
    amountMinor: null,
    invoiceLineId: null,
  },
};
