import { civilDate, id, instant, integer, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { PRIORITIES } from '../ranks.js';
import { CreateTask, taskInputs, TaskView, UpdateTask } from './task.dto.js';
import { Task } from './task.entity.js';
import { TASK_CATEGORIES, TASK_STATES, type TaskAction, taskLifecycle } from './task.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const taskResource: ResourceDefinition<Task, TaskAction> = {
  type: 'work.task',
  noun: 'task',
  area: 'work',
  collection: 'tasks',
  prefix: 'TASK',
  entity: Task,
  view: TaskView,
  create: CreateTask,
  update: UpdateTask,
  permissions: { read: 'tasks:read', write: 'tasks:write' },
  reach: {
    own: [
      `t.id = any(array(select x.task_id from data.work_task_assignees x where x.tenant_id = :tenant and x.member_id = :me))`,
    ],
    workspace: workspaceOfWhole('data.work_projects', 'project_id'),
  },
  lifecycle: taskLifecycle,
  stateField: 'state',
  references: {
    assigneeIds: MEMBER,
    blockedByIds: { table: 'data.work_tasks' },
    milestoneId: { table: 'data.work_milestones' },
    parentId: { table: 'data.work_tasks' },
  },
  named: { projectId: { table: 'data.work_projects' } },
  inputs: taskInputs,
  besides: {
    complete: [{ scope: 'projects:manage', when: 'With `force`, where a task that it waits for is open.' }],
  },
  problems: {
    create: ['blocked', 'record_locked'],
    update: ['blocked', 'invalid_transition'],
    complete: ['blocked'],
    reopen: ['blocked', 'record_locked'],
    restore: ['blocked', 'record_locked'],
  },
  bodies: {
    create: { name: 'Move the data', projectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', estimateMinutes: 240 },
    update: { priority: 'high', dueDate: '2026-12-18' },
  },
  list: {
    filters: {
      ...recordFilters('work.task'),
      projectId: filter.exact(id(), true),
      number: filter.ordered(integer({ min: 1, max: 2_147_483_647 }), true),
      state: filter.exact(oneOf(TASK_STATES)),
      category: { ...filter.exact(oneOf(TASK_CATEGORIES)), sql: 't.category' },
      priority: { ...filter.exact(oneOf(PRIORITIES)), sql: 't.priority_word' },
      assigneeId: {
        ...filter.related(
          filter.member().kind,
          `exists (select 1 from data.work_task_assignees a
            where a.tenant_id = t.tenant_id and a.task_id = t.id and a.member_id = any(:values))`,
        ),
        person: true,
      },
      parentId: filter.exact(id(), true),
      milestoneId: filter.exact(id(), true),
      blockedById: filter.related(
        id(),
        `exists (select 1 from data.work_task_blockers b
          where b.tenant_id = t.tenant_id and b.task_id = t.id and b.blocker_id = any(:values))`,
      ),
      startDate: filter.ordered(civilDate(), true),
      dueDate: filter.ordered(civilDate(), true),
      completedAt: filter.ordered(instant(), true),
      isOverdue: filter.condition(
        `(t.category in ('backlog', 'unstarted', 'started') and t.due_date is not null
          and t.due_date < (:now at time zone 'UTC')::date)`,
      ),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'startDate', 'dueDate', 'priority', 'position', 'completedAt'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'tasks:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'work.task',
    reference: 'ACME-12',
    name: 'Move the data',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    projectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    number: 12,
    description: null,
    state: 'backlog',
    category: 'backlog',
    priority: 'none',
    assigneeIds: [],
    parentId: null,
    startDate: null,
    dueDate: null,
    isOverdue: false,
    overdueAt: null,
    estimateMinutes: 240,
    spentMinutes: 0,
    milestoneId: null,
    blockedByIds: [],
    checklist: [],
    position: 786432,
    completedAt: null,
  },
};
