import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** An offer that has been neither declined nor withdrawn. */
export interface LiveOffer {
  id: string;
  status: string;
  jobTitle: string | null;
}

const OFFER = `select id, status, job_title as "jobTitle" from data.talent_offers
  where tenant_id = $1 and application_id = $2 and status in ('draft', 'pending_approval', 'approved', 'sent', 'accepted')`;
const OPEN_OF_JOB = `select a.id, a.candidate_id as "candidateId" from data.talent_applications a
    join data.talent_candidates c on c.tenant_id = a.tenant_id and c.id = a.candidate_id
  where a.tenant_id = $1 and a.job_id = $2 and a.status = 'active' and c.deleted_at is null order by a.candidate_id, a.id`;
const OF_CANDIDATE = `select id from data.talent_applications where tenant_id = $1 and candidate_id = $2 order by id`;

/** The {@link LiveOffer} of an application, if any. */
export const liveOfferOf = (applicationId: string): Statement => statement(OFFER, [currentTenant().id, applicationId]);

/** Open applications for a job, without candidates in the trash, in the lock order of candidates. */
export const openOfJob = (jobId: string): Statement => statement(OPEN_OF_JOB, [currentTenant().id, jobId]);

/** Ids of all applications of a candidate. */
export const ofCandidate = (candidateId: string): Statement =>
  statement(OF_CANDIDATE, [currentTenant().id, candidateId]);
