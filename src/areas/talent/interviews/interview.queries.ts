import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const CLASHES = `select o.id as "interviewId", p.interviewer_id as "interviewerId", o.start_at as "startAt", o.end_at as "endAt"
  from data.talent_interviews i
    join data.talent_interview_people p on p.tenant_id = i.tenant_id and p.interview_id = i.id
    join data.talent_interview_people q on q.tenant_id = p.tenant_id and q.interviewer_id = p.interviewer_id
      and q.interview_id <> i.id
    join data.talent_interviews o on o.tenant_id = q.tenant_id and o.id = q.interview_id
  where i.tenant_id = $1 and i.id = $2 and o.status = 'scheduled' and o.deleted_at is null
    and o.start_at < i.end_at and o.end_at > i.start_at
  order by o.start_at, o.id, p.interviewer_id limit 100`;

/** Scheduled interviews that overlap and share a participant. */
export const clashesOf = (id: string): Statement => statement(CLASHES, [currentTenant().id, id]);
