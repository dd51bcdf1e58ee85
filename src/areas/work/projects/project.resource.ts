import { civilDate, id, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { MEMBER } from '#libs/resource/references.js';
import { PRIORITIES } from '../ranks.js';
import { BILLING_MODELS } from './project.billing.js';
import {
  CreateProject,
  HEALTH,
  projectInputs,
  projectKey,
  ProjectView,
  UpdateProject,
  VISIBILITIES,
} from './project.dto.js';
import { Project } from './project.entity.js';
import { COMPUTED_HEALTH, HEALTH_SQL, OVERDUE_SQL } from './project.figures.js';
import { type ProjectAction, projectLifecycle } from './project.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const projectResource: ResourceDefinition<Project, ProjectAction> = {
  type: 'work.project',
  noun: 'project',
  area: 'work',
  collection: 'projects',
  prefix: 'PRJ',
  entity: Project,
  view: ProjectView,
  create: CreateProject,
  update: UpdateProject,
  permissions: { read: 'projects:read', write: 'projects:write' },
  reach: {
    own: [
      `t.id = any(array(select x.project_id from data.work_project_members x where x.tenant_id = :tenant and x.member_id = :me))`,
    ],
  },
  lifecycle: projectLifecycle,
  stateField: 'status',
  references: {
    accountId: { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' },
    dealId: { table: 'data.sales_deals' },
    memberIds: MEMBER,
  },
  named: { templateId: { table: 'data.work_project_templates' } },
  inputs: projectInputs,
  problems: {
    create: ['amount_mismatch', 'duplicate'],
    update: ['amount_mismatch', 'blocked', 'duplicate', 'invalid_transition'],
    complete: ['blocked'],
  },
  bodies: {
    create: { name: 'Acme rollout', targetDate: '2027-03-31', budget: 12000 },
    update: { priority: 'high', billing: { model: 'time_and_materials', hourlyRateMinor: 12000 } },
  },
  list: {
    filters: {
      ...recordFilters('work.project'),
      key: filter.exact(projectKey()),
      status: filter.exact(oneOf(projectLifecycle.states)),
      health: { ...filter.exact(oneOf(HEALTH)), sql: 't.health_word' },
      healthComputed: filter.related(oneOf(COMPUTED_HEALTH), HEALTH_SQL),
      priority: { ...filter.exact(oneOf(PRIORITIES)), sql: 't.priority_word' },
      visibility: filter.exact(oneOf(VISIBILITIES)),
      memberId: {
        ...filter.related(
          filter.member().kind,
          `exists (select 1 from data.work_project_members m
            where m.tenant_id = t.tenant_id and m.project_id = t.id and m.member_id = any(:values))`,
        ),
        person: true,
      },
      accountId: filter.exact(id(), true),
      dealId: filter.exact(id(), true),
      templateId: filter.exact(id(), true),
      'billing.model': { ...filter.exact(oneOf(BILLING_MODELS)), sql: 't.billing_model' },
      startDate: filter.ordered(civilDate(), true),
      targetDate: filter.ordered(civilDate(), true),
      isOverdue: filter.condition(OVERDUE_SQL),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'startDate', 'targetDate', 'priority', 'progressPercent', 'health'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'projects:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'work.project',
    reference: 'PRJ-000012',
    name: 'Acme rollout',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    key: 'ACME',
    description: null,
    status: 'planned',
    health: 'unknown',
    healthNote: null,
    healthUpdatedAt: null,
    healthComputed: 'on_track',
    priority: 'none',
    startDate: null,
    targetDate: '2027-03-31',
    isOverdue: false,
    slippageDays: 0,
    heldAt: null,
    completedAt: null,
    cancelledAt: null,
    cancelledReason: null,
    memberIds: [],
    visibility: 'workspace',
    accountId: null,
    dealId: null,
    templateId: null,
    budget: 12000,
    billing: {
      model: 'none',
      budgetMinor: 1200000,
      currency: 'USD',
      hourlyRateMinor: null,
      budgetMinutes: null,
      invoiceOn: null,
    },
    progressMethod: 'tasks',
    progressPercent: 0,
    taskCounts: { backlog: 0, unstarted: 0, started: 0, done: 0, cancelled: 0 },
    spentMinutes: 0,
    spentMinor: 0,
    unbilledMinutes: 0,
    unbilledMinor: 0,
    budgetUsedPercent: 0,
  },
};
