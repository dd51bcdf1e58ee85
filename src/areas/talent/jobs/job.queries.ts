import { type Guard, guarded } from '#libs/access/guard.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const OCCUPIED = `select distinct stage from data.talent_applications
  where tenant_id = $1 and job_id = $2 and status = 'active' and stage <> all($3)`;
const PRIVATE = `select 1 from data.talent_applications a join data.talent_candidates t
    on t.tenant_id = a.tenant_id and t.id = a.candidate_id
  where a.tenant_id = $1 and a.job_id = $2 and t.is_private`;

/** A private candidate for the job that the guard excludes. */
export function unseenOf(jobId: string, seen: Guard): Statement {
  const unseen: Guard = (add) => `(${seen(add)}) is not true`;
  return guarded(PRIVATE, [currentTenant().id, jobId], unseen, ' limit 1');
}

/** Stages outside `kept` that have open applications. */
export const occupiedBesides = (jobId: string, kept: string[]): Statement =>
  statement(OCCUPIED, [currentTenant().id, jobId, kept]);
