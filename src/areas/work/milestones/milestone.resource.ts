import { civilDate, id, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { workspaceOfWhole } from '#libs/resource/part-of.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { CreateMilestone, MilestoneView, UpdateMilestone } from './milestone.dto.js';
import { Milestone } from './milestone.entity.js';
import { type MilestoneAction, milestoneLifecycle } from './milestone.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const milestoneResource: ResourceDefinition<Milestone, MilestoneAction> = {
  type: 'work.milestone',
  noun: 'milestone',
  area: 'work',
  collection: 'milestones',
  prefix: 'MS',
  entity: Milestone,
  view: MilestoneView,
  create: CreateMilestone,
  update: UpdateMilestone,
  permissions: { read: 'milestones:read', write: 'milestones:write' },
  reach: {
    workspace: workspaceOfWhole('data.work_projects', 'project_id'),
  },
  lifecycle: milestoneLifecycle,
  named: { projectId: { table: 'data.work_projects' }, acceptanceContactId: { table: 'data.sales_contacts' } },
  stateField: 'status',
  inputs: {},
  problems: {
    create: ['record_locked'],
    update: ['invalid_transition', 'record_locked'],
  },
  bodies: {
    create: {
      name: 'Go-live',
      projectId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
      dueDate: '2027-01-31',
      billableMinor: 400000,
    },
    update: { dueDate: '2027-02-15' },
  },
  list: {
    filters: {
      ...recordFilters('work.milestone'),
      projectId: filter.exact(id()),
      status: filter.exact(oneOf(milestoneLifecycle.states)),
      dueDate: filter.ordered(civilDate(), true),
      isMissed: filter.condition(
        `(t.status = 'open' and t.due_date is not null and t.due_date < (:now at time zone 'UTC')::date)`,
      ),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'dueDate'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'milestones:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'work.milestone',
    reference: 'MS-000007',
    name: 'Go-live',
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
    description: null,
    status: 'open',
    dueDate: '2027-01-31',
    isMissed: false,
    billableMinor: 400000,
    currency: null,
    acceptance: { required: false, contactId: null, acceptedAt: null },
    reachedAt: null,
  },
};
