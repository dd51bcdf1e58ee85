import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { CreatePipeline, PipelineView, UpdatePipeline } from './pipeline.dto.js';
import { Pipeline } from './pipeline.entity.js';
import { DEFAULT_STAGES } from './pipeline.stages.js';

const RENEWAL_STAGES = [
  { key: 'due', name: 'Due', category: 'open', probability: 60, forecastCategory: 'best_case', rottenAfterDays: 14 },
  {
    key: 'agreed',
    name: 'Agreed',
    category: 'open',
    probability: 90,
    forecastCategory: 'commit',
    requiredFields: ['value'],
  },
  { key: 'renewed', name: 'Renewed', category: 'won', probability: 100, forecastCategory: 'commit' },
  { key: 'churned', name: 'Churned', category: 'lost', probability: 0, forecastCategory: 'omitted' },
];

/** A pipeline has one state; it can only be deleted while no deal is in it. */
export const pipelineLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    delete: {
      from: ['active'],
      to: null,
      permission: 'pipelines:manage',
      event: 'deleted',
      summary: 'Delete a pipeline',
      happened: 'A pipeline was deleted.',
      risk: 'medium',
    },
  },
});

export const pipelineResource: ResourceDefinition<Pipeline, 'delete'> = {
  type: 'sales.pipeline',
  noun: 'pipeline',
  area: 'sales',
  collection: 'pipelines',
  prefix: 'PIPE',
  entity: Pipeline,
  view: PipelineView,
  create: CreatePipeline,
  update: UpdatePipeline,
  permissions: { read: 'pipelines:read', write: 'pipelines:manage' },
  lifecycle: pipelineLifecycle,
  inputs: {},
  problems: { update: ['in_use'], delete: ['in_use'] },
  bodies: { create: { name: 'Renewals', stages: RENEWAL_STAGES }, update: { name: 'Renewals EMEA', isDefault: true } },
  list: {
    filters: {
      ...recordFilters('sales.pipeline'),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: 'createdAt',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'sales.pipeline',
    reference: 'PIPE-000001',
    name: 'Sales',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: { type: 'system', id: null, name: 'platform' },
    updatedBy: { type: 'system', id: null, name: 'platform' },
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    isDefault: true,
    stages: DEFAULT_STAGES,
  },
};
