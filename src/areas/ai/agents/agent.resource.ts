import { oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { AgentView, CreateAgent, modelKey, UpdateAgent } from './agent.dto.js';
import { Agent } from './agent.entity.js';
import { type AgentAction, agentLifecycle } from './agent.lifecycle.js';
import { AUTONOMIES, NO_LIMITS, NO_PARAMETERS, WHOLE_TENANT } from './agent.parts.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const agentResource: ResourceDefinition<Agent, AgentAction> = {
  type: 'intelligence.agent',
  noun: 'agent',
  area: 'intelligence',
  collection: 'agents',
  prefix: 'AGT',
  entity: Agent,
  view: AgentView,
  create: CreateAgent,
  update: UpdateAgent,
  permissions: { read: 'agents:read', write: 'agents:write' },
  lifecycle: agentLifecycle,
  stateField: 'status',
  inputs: {},
  problems: { create: ['grant_exceeds_rights'], update: ['grant_exceeds_rights', 'invalid_transition'] },
  bodies: {
    create: { name: 'Deal scout', provider: 'local', tools: ['deals.search'], grants: ['deals:read'] },
    update: { instructions: 'Name the three deals that need a call.', limits: { maxSteps: 5 } },
  },
  defaults: {
    parameters: NO_PARAMETERS,
    tools: [],
    grants: [],
    dataScope: WHOLE_TENANT,
    autonomy: 'approve_each',
    limits: NO_LIMITS,
    agentVersion: 1,
  },
  list: {
    filters: {
      ...recordFilters('intelligence.agent'),
      status: filter.exact(oneOf(agentLifecycle.states)),
      provider: filter.exact(modelKey(), true),
      model: filter.exact(modelKey(), true),
      autonomy: filter.exact(oneOf(AUTONOMIES)),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'status'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'agents:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'intelligence.agent',
    reference: 'AGT-000001',
    name: 'Deal scout',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    status: 'draft',
    description: null,
    instructions: null,
    provider: 'local',
    model: null,
    parameters: NO_PARAMETERS,
    tools: ['deals.search'],
    grants: ['deals:read'],
    dataScope: WHOLE_TENANT,
    autonomy: 'approve_each',
    limits: NO_LIMITS,
    agentVersion: 1,
    stats: null,
  },
};
