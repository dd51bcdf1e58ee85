import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import { currentScope, currentTenant, currentTraceparent } from '#libs/tenancy/scope.js';
import type { SpendingScope } from '../budgets/spending.js';
import { approvalDigestOf, type Decided } from '../jobs/approval-digest.js';
import type { Material } from './job-materials.service.js';
import type { Plan } from './job-plans.service.js';
import type { CreateAiJob } from '../jobs/job-requests.dto.js';
import type { AiJob, JobRequester } from '../jobs/job.js';
import { aiJobLifecycle } from '../jobs/job.lifecycle.js';
import { NO_USAGE, PRIORITIES } from '../jobs/job.parts.js';

type Fixed = Omit<Decided, 'maxOutputTokens' | 'approvedCapMicros'>;

/** A new job. Encrypted content is added once the job has an id. */
export function draftOf(request: CreateAiJob, { kind, agent }: Material, plan: Plan, at: string): Draft<AiJob> {
  const { name = kind.title, priority = 'normal', approval = 'auto', targets = [], deadlineAt = null } = request;
  const fixed: Fixed = {
    kind: kind.key,
    agentId: agent?.id ?? null,
    agentVersion: agent?.agentVersion ?? null,
    provider: plan.offer.provider,
    model: plan.offer.model,
    tools: agent?.tools ?? [],
    inputHash: plan.inputHash,
  };
  return {
    ...fixed,
    ...decidedOf(fixed, plan, at),
    name,
    status: aiJobLifecycle.initial,
    autonomy: agent?.autonomy ?? null,
    priority: PRIORITIES.indexOf(priority),
    approval,
    deadlineAt,
    targets,
    currency: currentTenant().currency,
    personalData: plan.policy.personalData,
    piiFindings: plan.findings,
    sealedInput: null,
    sealedContext: null,
    sealedPlaces: null,
    actualCostMicros: 0,
    proposedActions: [],
    steps: [],
    usage: NO_USAGE,
    attempts: 0,
    requester: requesterNow(),
    traceparent: currentTraceparent(),
    requesterPerson: personOf(currentPrincipal()),
  };
}

/** What a decision sets, also when it is repeated. */
export function decidedOf(job: Fixed, { quote, capMicros, verdict, policyVersion }: Plan, at: string) {
  const { maxOutputTokens, worstMicros } = quote;
  const { outcome, rules } = verdict;
  return {
    maxOutputTokens,
    costCapMicros: capMicros,
    approvedCapMicros: capMicros,
    approvalDigest: approvalDigestOf({ ...job, maxOutputTokens, approvedCapMicros: capMicros }),
    estimatedCostMicros: worstMicros,
    reservedCostMicros: worstMicros,
    reservationId: quote.fits ? uuidv7() : null,
    decision: { outcome, rules, policyVersion },
    approvalId: null,
    output: null,
    error: null,
    queuedAt: at,
    startedAt: null,
    finishedAt: null,
  };
}

/** The requester, with the credential that the job uses. */
export function requesterNow(): JobRequester {
  const { membershipId, keyId } = currentPrincipal();
  return { ...currentScope().actor, membershipId, keyId, apiKeyId: lineageOfKey() };
}

type Scoped = Pick<AiJob, 'kind' | 'workspaceId' | 'agentId' | 'provider' | 'model'>;

/** The scopes whose budgets apply to a job. */
export function scopesOf(job: Scoped, { membershipId: memberId, apiKeyId }: JobRequester): SpendingScope {
  const { kind, workspaceId, agentId, provider, model } = job;
  return { kind, provider, model, workspaceId, agentId, memberId, apiKeyId };
}

/** The lineage of a key, which survives rotation; null for other credentials. */
function lineageOfKey(): string | null {
  const { kind, lineageId } = currentPrincipal();
  return kind === 'api_key' ? lineageId : null;
}
