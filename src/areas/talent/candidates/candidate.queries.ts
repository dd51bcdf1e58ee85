import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Averages of submitted scorecards in hundredths; null if there are none. */
export interface Ratings {
  ofApplication: number | null;
  ofCandidate: number | null;
}

const WITH_EMAIL = `select id from data.talent_candidates where tenant_id = $1 and data.fold(email) = data.fold($2)
  and deleted_at is null and archived_at is null`;
const OF_MERGED = `with recursive line as (
    select merged_into_id as id from data.talent_candidates where tenant_id = $1 and merged_into_id is not null
      and deleted_at is null and data.fold(email) = data.fold($2)
    union select t.merged_into_id from line join data.talent_candidates t on t.tenant_id = $1 and t.id = line.id
      where t.merged_into_id is not null)
  select t.id from line join data.talent_candidates t on t.tenant_id = $1 and t.id = line.id
  where t.deleted_at is null and t.archived_at is null limit 1`;
const LOCK_IN_ORDER = `select id from data.talent_candidates where tenant_id = $1 and id = any($2::uuid[])
  order by id for no key update`;
const RATINGS = `select round(avg(s.score_hundredths) filter (where s.application_id = $3))::integer as "ofApplication",
    round(avg(s.score_hundredths))::integer as "ofCandidate"
  from data.talent_scorecards s join data.talent_applications a on a.tenant_id = s.tenant_id and a.id = s.application_id
  where s.tenant_id = $1 and a.candidate_id = $2 and s.status = 'submitted'`;
// All candidates merged into this one, directly or indirectly, and the records of their applications.
const EVERYTHING = `
  with recursive same as (
    select $2::uuid as id
    union
    select c.id from data.talent_candidates c join same on c.merged_into_id = same.id where c.tenant_id = $1),
  applied as (
    select id from data.talent_applications where tenant_id = $1 and candidate_id in (select id from same))
  select id, true as "isCandidate" from same
  union all select id, false from applied
  union all select id, false from data.talent_interviews where tenant_id = $1 and application_id in (select id from applied)
  union all select id, false from data.talent_scorecards where tenant_id = $1 and application_id in (select id from applied)
  union all select id, false from data.talent_offers where tenant_id = $1 and application_id in (select id from applied)`;

/** Candidates and applications reference each other, so the constraint is checked at the end of the transaction. */
export const DEFER_APPLICATION = statement('set constraints data.talent_candidates_application_id_fkey deferred');

/** Id of the live candidate with an e-mail address; case-insensitive. */
export const withEmail = (email: string): Statement => statement(WITH_EMAIL, [currentTenant().id, email]);

/** Id of the live candidate that the former owner of an e-mail address was merged into. */
export const ofMergedEmail = (email: string): Statement => statement(OF_MERGED, [currentTenant().id, email]);

/** Locks candidates in the order of their ids to avoid deadlocks. */
export const lockInOrder = (ids: string[]): Statement => statement(LOCK_IN_ORDER, [currentTenant().id, ids]);

/** The {@link Ratings} of a candidate and of one application. */
export const ratingsOf = (candidateId: string, applicationId: string | null): Statement =>
  statement(RATINGS, [currentTenant().id, candidateId, applicationId]);

/** Ids of all records about a candidate, and whether each is the candidate itself or one merged into it. */
export const everythingOf = (id: string): Statement => statement(EVERYTHING, [currentTenant().id, id]);
