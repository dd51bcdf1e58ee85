import { id, instant, integer, oneOf, text } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, type ListOptions } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { modelKey } from '../agents/agent.parts.js';
import { ApproveAiJob, CancelAiJob, CreateAiJob, RejectAiJob, RetryAiJob, ReviewAiJob } from './job-requests.dto.js';
import { AiJobView } from './job.dto.js';
import { AiJob } from './job.entity.js';
import { type AiJobAction, aiJobLifecycle } from './job.lifecycle.js';
import { NO_USAGE } from './job.parts.js';

const TARGET = `exists (select 1 from data.ai_job_targets x
  where x.tenant_id = t.tenant_id and x.record_id = any(:values) and x.job_id = t.id)`;

export const jobList: ListOptions = {
  filters: {
    ids: filter.plain(id(), 'in', 't.id'),
    name: filter.text(200),
    status: filter.exact(oneOf(aiJobLifecycle.states)),
    kind: filter.exact(text({ max: 60 })),
    agentId: filter.exact(id(), true),
    requestedById: { ...filter.member(), sql: 't.requester_person' },
    model: filter.exact(modelKey()),
    createdAt: filter.ordered(instant()),
    actualCostMicros: filter.ordered(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
    targetId: filter.related(id(), TARGET),
  },
  sorts: ['createdAt', 'name', 'finishedAt', 'actualCostMicros', 'priority'],
  defaultSort: '-createdAt',
};

class NoBody {}

const PERSON = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Sales desk' };

/** Made by a service of its own and changed by actions alone. */
export const aiJobs: ResourceDefinition<AiJob, AiJobAction> = {
  type: 'intelligence.job',
  noun: 'AI job',
  base: '/api',
  area: 'ai',
  collection: 'jobs',
  prefix: 'AIJ',
  entity: AiJob,
  view: AiJobView,
  create: CreateAiJob,
  update: NoBody,
  permissions: { read: 'ai-jobs:read', write: 'ai-jobs:write' },
  lifecycle: aiJobLifecycle,
  stateField: 'status',
  createdEvent: 'queued',
  // What was asked and answered stands neither in events nor in the audit log.
  restricted: [{ fields: ['input', 'output', 'feedback'], permission: 'ai-jobs:read-all' }],
  inputs: { approve: ApproveAiJob, reject: RejectAiJob, cancel: CancelAiJob, retry: RetryAiJob, review: ReviewAiJob },
  list: jobList,
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90',
    object: 'intelligence.job',
    reference: 'AIJ-000001',
    name: 'Renewal',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PERSON,
    updatedBy: PERSON,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    status: 'queued',
    kind: 'text.summarize',
    agentId: null,
    agentVersion: null,
    provider: 'local',
    model: 'local-1',
    priority: 'normal',
    approval: 'auto',
    deadlineAt: null,
    targets: [],
    maxOutputTokens: 512,
    costCapMicros: 200_000,
    estimatedCostMicros: 1_200,
    reservedCostMicros: 1_200,
    actualCostMicros: 0,
    currency: 'USD',
    decision: { outcome: 'allow', rules: ['policy.allowed'], policyVersion: 3 },
    piiFindings: [],
    inputHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    steps: [],
    usage: NO_USAGE,
    error: null,
    attempts: 0,
    approvalId: null,
    requestedBy: { ...PERSON, membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22' },
    queuedAt: '2026-11-21T09:15:02.114Z',
    startedAt: null,
    finishedAt: null,
  },
};
