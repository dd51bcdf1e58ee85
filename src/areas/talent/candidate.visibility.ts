import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Guard } from '#libs/resource/lists/table.js';

/**
 * SQL condition for the candidates `c` that a member may see. Private candidates are visible only to the hiring team:
 * the owner, and the hiring managers and recruiters of the jobs that the candidate has applied for.
 */
const seenBy = (c: string, me: string) => `(not ${c}.is_private or ${c}.owner_id = ${me}::uuid or exists (
  select 1 from data.talent_applications ta join data.talent_jobs tj on tj.tenant_id = ta.tenant_id and tj.id = ta.job_id
  where ta.tenant_id = ${c}.tenant_id and ta.candidate_id = ${c}.id
    and (tj.hiring_manager_id = ${me}::uuid or tj.recruiter_ids ? ${me}::text)))`;

const LIVE = 'c.deleted_at is null';

/** Rows with a `candidate_id` whose candidate meets the condition. */
const applicationsOf = (condition: string) =>
  `exists (select 1 from data.talent_candidates c where c.tenant_id = t.tenant_id and c.id = t.candidate_id and ${condition})`;

/** Rows with an `application_id` whose candidate meets the condition. */
const partsOf = (condition: string) => `exists (select 1 from data.talent_applications a join data.talent_candidates c
    on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = t.tenant_id and a.id = t.application_id and ${condition})`;

/** Candidates that the caller may see. For a tenant key, which acts for no member, only its scopes apply. */
export function ofCandidates(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => seenBy('t', add(me)) : null;
}

/** Rows with a `candidate_id` whose candidate is visible and not in the trash. */
export function ofApplications(): Guard {
  const me = callerOrNull()?.membershipId;
  return (add) => applicationsOf(me ? `${LIVE} and ${seenBy('c', add(me))}` : LIVE);
}

/** Like {@link ofApplications}, but includes candidates in the trash; null for all. */
export function ofSeenCandidates(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => applicationsOf(seenBy('c', add(me))) : null;
}

/** Rows with an `application_id` whose candidate is visible and not in the trash. */
export function ofApplicationParts(): Guard {
  const me = callerOrNull()?.membershipId;
  return (add) => partsOf(me ? `${LIVE} and ${seenBy('c', add(me))}` : LIVE);
}

/** Like {@link ofApplicationParts}, but includes candidates in the trash; null for all. */
export function ofSeenApplications(): Guard | null {
  const me = callerOrNull()?.membershipId;
  return me ? (add) => partsOf(seenBy('c', add(me))) : null;
}
