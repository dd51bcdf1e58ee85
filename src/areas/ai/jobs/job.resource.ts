import { id, instant, integer, oneOf, text } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { filter, type ListOptions } from '#libs/resource/lists/list-query.js';
import { recordPageOf } from '#libs/resource/types/record.dto.js';
import { recordType } from '#libs/resource/types/record-type.js';
import { modelKey } from '../agents/agent.parts.js';
import { ApproveAiJob, CancelAiJob, CreateAiJob, RejectAiJob, RetryAiJob, ReviewAiJob } from './job-requests.dto.js';
import { AiJob } from './job.js';
import { type AiJobAction, aiJobLifecycle } from './job.lifecycle.js';

const TARGET = `exists (select 1 from data.ai_job_targets x
  where x.tenant_id = t.tenant_id and x.record_id = any(:values) and x.job_id = t.id)`;

/** Jobs lack the common record fields that callers set, so lists have fewer filters. */
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
    hasProposedActions: filter.condition(`(t.proposed_actions <> '[]')`),
  },
  sorts: ['createdAt', 'name', 'finishedAt', 'actualCostMicros', 'priority'],
  defaultSort: '-createdAt',
  searchable: true,
};

class NoBody {}

const declared = recordType(AiJob, {
  type: 'intelligence.job',
  base: '/api',
  area: 'ai',
  collection: 'jobs',
  noun: 'AI job',
  prefix: 'AIJ',
  permissions: { read: 'ai-jobs:read', write: 'ai-jobs:write' },
  name: { example: 'Renewal' },
  lifecycle: aiJobLifecycle,
  labels: { agentId: { table: 'data.intelligence_agents' } },
  createdEvent: 'queued',
  inputs: { approve: ApproveAiJob, reject: RejectAiJob, cancel: CancelAiJob, retry: RetryAiJob, review: ReviewAiJob },
  retention: ['finishedAt'],
});

/** A separate service creates jobs; only actions change them, at separate paths. */
export const aiJobs: ResourceDefinition<AiJob, AiJobAction> = {
  ...declared,
  create: CreateAiJob,
  update: NoBody,
  list: jobList,
};

export const JobPage = recordPageOf(aiJobs.view);
