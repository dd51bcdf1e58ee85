import { callerOrNull, currentPrincipal, holds } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import type { Guard } from '#libs/resource/lists/table.js';
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
