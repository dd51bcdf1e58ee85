import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Guard } from '#libs/resource/lists/table.js';

/**
 * SQL of what a member may see of the candidates `c`: private ones only as one of the hiring team, which is the owner,
 * and hiring manager and recruiters of the jobs that the candidate has applied for.
 */
const seenBy = (c: string, me: string) => `(not ${c}.is_private or ${c}.owner_id = ${me}::uuid or exists (
  select 1 from data.talent_applications ta join data.talent_jobs tj on tj.tenant_id = ta.tenant_id and tj.id = ta.job_id
  where ta.tenant_id = ${c}.tenant_id and ta.candidate_id = ${c}.id
    and (tj.hiring_manager_id = ${me}::uuid or tj.recruiter_ids ? ${me}::text)))`;

const LIVE = 'c.deleted_at is null';

/** Rows with a `candidate_id` whose candidate is as the condition says. */
const applicationsOf = (condition: string) =>
  `exists (select 1 from data.talent_candidates c where c.tenant_id = t.tenant_id and c.id = t.candidate_id and ${condition})`;

/** Rows with an `application_id` whose candidate is as the condition says. */
const partsOf = (condition: string) => `exists (select 1 from data.talent_applications a join data.talent_candidates c
    on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = t.tenant_id and a.id = t.application_id and ${condition})`;

/** Candidates that the caller may see. A key of the tenant itself, which acts for nobody, goes by its scopes alone. */
export function ofCandidates(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => seenBy('t', add(me)) : null;
}

/** Rows with a `candidate_id` whose candidate is not in the trash and may be seen. */
export function ofApplications(): Guard {
  const me = callerOrNull()?.membershipId;
  return (add) => applicationsOf(me ? `${LIVE} and ${seenBy('c', add(me))}` : LIVE);
}

/** As {@link ofApplications}, also those of a candidate in the trash; null for all. */
export function ofSeenCandidates(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => applicationsOf(seenBy('c', add(me))) : null;
}

/** Rows with an `application_id` whose candidate is not in the trash and may be seen. */
export function ofApplicationParts(): Guard {
  const me = callerOrNull()?.membershipId;
  return (add) => partsOf(me ? `${LIVE} and ${seenBy('c', add(me))}` : LIVE);
}

/** As {@link ofApplicationParts}, also those of a candidate in the trash; null for all. */
export function ofSeenApplications(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => partsOf(seenBy('c', add(me))) : null;
}
