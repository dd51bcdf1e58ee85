import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { archiveActions, trashActions } from '#libs/resource/standard-actions.js';
import { CreatePrompt, promptKey, PromptView, UpdatePrompt } from './prompt.dto.js';
import { Prompt } from './prompt.entity.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** What a job has used cannot be deleted any more: it is archived, and no job takes it from then on. */
export const promptLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    ...archiveActions('prompt', ['active'], 'ai-prompts:write'),
    ...trashActions('prompt', ['active'], 'ai-prompts:write'),
  },
});

export type PromptAction = keyof typeof promptLifecycle.transitions;

export const promptResource: ResourceDefinition<Prompt, PromptAction> = {
  type: 'ai.prompt',
  noun: 'prompt',
  base: '/api',
  area: 'ai',
  collection: 'prompts',
  prefix: 'PRM',
  entity: Prompt,
  view: PromptView,
  create: CreatePrompt,
  update: UpdatePrompt,
  permissions: { read: 'ai-jobs:read', write: 'ai-prompts:write' },
  lifecycle: promptLifecycle,
  inputs: {},
  problems: {
    create: ['duplicate'],
    update: ['duplicate'],
    delete: ['in_use'],
    restore: ['duplicate'],
  },
  bodies: {
    create: { name: 'Polite reply', key: 'reply.polite', template: 'Answer {{customerName}} politely: {{question}}' },
    update: { labels: [{ label: 'production', promptVersion: 1 }] },
  },
  defaults: { promptVersion: 1, variables: [], labels: [] },
  list: {
    filters: { ...recordFilters('ai.prompt'), key: filter.exact(promptKey()) },
    sorts: ['createdAt', 'updatedAt', 'name', 'key'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'ai-prompts:write',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b95',
    object: 'ai.prompt',
    reference: 'PRM-000001',
    name: 'Polite reply',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    key: 'reply.polite',
    promptVersion: 1,
    template: 'Answer {{customerName}} politely: {{question}}',
    variables: ['customerName', 'question'],
    commitNote: null,
    labels: [{ label: 'production', promptVersion: 1 }],
  },
};
