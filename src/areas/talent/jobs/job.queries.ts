import { type Guard, guarded } from '#libs/access/guard.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const OCCUPIED = `select a.stage, count(*)::integer as count from data.talent_applications a
    join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id and c.deleted_at is null
  where a.tenant_id = $1 and a.job_id = $2 and a.status = 'active' and a.stage <> all($3) group by a.stage order by a.stage`;
const MOVE_TRASH = `with moved as (
    update data.talent_applications a set stage = $4, version = a.version + 1 from data.talent_candidates c
    where a.tenant_id = $1 and a.job_id = $2 and a.status = 'active' and a.stage <> all($3)
      and c.tenant_id = $1 and c.id = a.candidate_id and c.deleted_at is not null returning a.id)
  update data.talent_candidates c set stage = $4, version = version + 1 from moved
  where c.tenant_id = $1 and c.application_id = moved.id`;
const PRIVATE = `select 1 from data.talent_applications a join data.talent_candidates t
    on t.tenant_id = a.tenant_id and t.id = a.candidate_id
  where a.tenant_id = $1 and a.job_id = $2 and t.is_private`;

/** A private candidate for the job that the guard excludes. */
export function unseenOf(jobId: string, seen: Guard): Statement {
  const unseen: Guard = (add) => `(${seen(add)}) is not true`;
  return guarded(PRIVATE, [currentTenant().id, jobId], unseen, ' limit 1');
}

/** Moves applications of candidates in the trash from stages outside `kept` to another one. */
export const moveTrash = (jobId: string, kept: string[], to: string): Statement =>
  statement(MOVE_TRASH, [currentTenant().id, jobId, kept, to]);

/** Stages outside `kept` with the number of their open applications, without candidates in the trash. */
export const occupiedBesides = (jobId: string, kept: string[]): Statement =>
  statement(OCCUPIED, [currentTenant().id, jobId, kept]);
