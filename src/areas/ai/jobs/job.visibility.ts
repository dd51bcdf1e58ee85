import { callerOrNull, currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { disclosing, typesInScope } from '#libs/resource/access/disclosure.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { AiJob, ShownAiJob } from './job.js';
import { PRIORITIES } from './job.parts.js';

/** Whether the caller is the requester of a job. */
export function isOwn({ requesterPerson }: AiJob): boolean {
  return requesterPerson === personOf(currentPrincipal());
}

/**
 * Own jobs; with the permission for others' jobs, those too; with the permission to approve, jobs that need approval.
 */
export function visibleJobs(): Guard | null {
  const caller = callerOrNull();
  if (!caller || holds('ai-jobs:read-all') || holds('ai-jobs:manage')) return null;
  const person = personOf(caller);
  if (!holds('ai-jobs:approve')) return (add) => `t.requester_person = ${add(person)}`;
  return (add) => `(t.requester_person = ${add(person)} or t.approval_id is not null or t.status = 'awaiting_review')`;
}

/** SQL of the targets of the job with an id; a job without targets has one row of nulls. */
export function targetsOf(tenant: string, id: string): string {
  return `select x.object as type, x.record_id as id from data.ai_jobs j
    left join data.ai_job_targets x on x.tenant_id = j.tenant_id and x.job_id = j.id
    where j.tenant_id = ${tenant} and j.id = ${id}`;
}

/**
 * Jobs that tell the caller nothing new: all targets of own jobs are records that the caller may know. Whoever may see
 * the jobs of others need not be able to read their targets, but the scopes of the credential must include it.
 */
export function withKnownTargets(registry: ResourceRegistry): Guard | null {
  const known = disclosing(registry, { type: 'x.object', id: 'x.record_id' });
  if (!known) return null;
  const person = personOf(currentPrincipal());
  const inScope = typesInScope(registry);
  return (add) => {
    const others = inScope === null ? 'true' : `x.object = any(${add(inScope)}::text[])`;
    return `not exists (select 1 from data.ai_job_targets x where x.tenant_id = t.tenant_id and x.job_id = t.id
      and (case when t.requester_person = ${add(person)} then ${known(add)} else ${others} end) is not true)`;
  };
}

/** Fields that the API derives from columns. */
export function derived({ requester, output, proposedActions, priority }: AiJob): Partial<ShownAiJob> {
  const { keyId: _key, apiKeyId: _lineage, ...requestedBy } = requester;
  return { priority: PRIORITIES[priority]!, requestedBy, output: output && { ...output, proposedActions } };
}

/**
 * A job with the allowed actions: only the requester, or callers with the permission to manage jobs, can cancel or
 * retry it.
 */
export function withOpenActions(view: ShownAiJob, row: AiJob): ShownAiJob {
  const { allowedActions } = view;
  if (!allowedActions || !callerOrNull() || isOwn(row) || holds('ai-jobs:manage')) return view;
  return { ...view, allowedActions: allowedActions.filter((action) => action !== 'cancel' && action !== 'retry') };
}
