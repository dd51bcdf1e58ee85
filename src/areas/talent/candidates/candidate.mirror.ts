import type { StandingRow } from '../applications/application.standing.js';
import type { Candidate } from './candidate.js';

/**
 * Application fields shown on the candidate. The rating is excluded because it covers all applications of the
 * candidate.
 */
export function mirrorOf(application: Omit<StandingRow, 'tenantId'>): Partial<Candidate> {
  const { id: applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason } = application;
  const { hiredAt, startDate, jobTitle, departmentId, managerId } = application;
  const standing = { applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason };
  return { ...standing, hiredAt, startDate, jobTitle, departmentId, managerId };
}
