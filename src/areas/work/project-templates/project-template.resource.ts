import { oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { CreateProjectTemplate, ProjectTemplateView, UpdateProjectTemplate } from './project-template.dto.js';
import { ProjectTemplate } from './project-template.entity.js';
import { type ProjectTemplateAction, projectTemplateLifecycle } from './project-template.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const PARTS = {
  phases: ['Start', 'Build'],
  milestones: [{ key: 'go_live', name: 'Go-live', offsetDays: 60, phase: 'Build', billableMinor: 400000 }],
  tasks: [
    { key: 'kickoff', name: 'Kick-off meeting', offsetDays: 3, phase: 'Start', role: 'lead' },
    { key: 'build', name: 'Build it', offsetDays: 50, phase: 'Build', milestone: 'go_live', blockedBy: ['kickoff'] },
  ],
};

export const projectTemplateResource: ResourceDefinition<ProjectTemplate, ProjectTemplateAction> = {
  type: 'work.project_template',
  noun: 'project template',
  area: 'work',
  collection: 'project-templates',
  prefix: 'PT',
  entity: ProjectTemplate,
  view: ProjectTemplateView,
  create: CreateProjectTemplate,
  update: UpdateProjectTemplate,
  permissions: { read: 'project-templates:read', write: 'project-templates:manage' },
  lifecycle: projectTemplateLifecycle,
  stateField: 'status',
  inputs: {},
  problems: { update: ['invalid_transition', 'record_locked'] },
  bodies: { create: { name: 'Customer rollout', ...PARTS }, update: { phases: ['Start', 'Build', 'Care'] } },
  list: {
    filters: {
      ...recordFilters('work.project_template'),
      status: filter.exact(oneOf(projectTemplateLifecycle.states)),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'project-templates:manage',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'work.project_template',
    reference: 'PT-000001',
    name: 'Customer rollout',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    description: null,
    status: 'published',
    ...PARTS,
    billing: { model: 'fixed', invoiceOn: 'milestone' },
  },
};
