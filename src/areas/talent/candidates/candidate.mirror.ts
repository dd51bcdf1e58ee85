import type { StandingRow } from '../applications/application.standing.js';
import type { Candidate } from './candidate.js';

/** What a candidate shows of an application. The rating is that of all applications together, so it is not among it. */
export function mirrorOf(application: Omit<StandingRow, 'tenantId'>): Partial<Candidate> {
  const { id: applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason } = application;
  const { hiredAt, startDate, jobTitle, departmentId, managerId } = application;
  const standing = { applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason };
  return { ...standing, hiredAt, startDate, jobTitle, departmentId, managerId };
}
