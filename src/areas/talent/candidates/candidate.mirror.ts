import { Problem } from '#libs/kernel/problem.js';
import type { ApplicationView } from '../applications/application.dto.js';
import type { Application } from '../applications/application.entity.js';
import type { CreateCandidate } from './candidate.dto.js';
import type { Candidate } from './candidate.entity.js';

/** Kind of the timer that ends a consent. */
export const CONSENT_EXPIRES = 'talent.candidate.consent_expired';

/** What a candidate shows of an application. The rating is that of all applications together, so it is not among it. */
export function mirrorOf(application: Application | ApplicationView): Partial<Candidate> {
  const { id: applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason } = application;
  const { hiredAt, startDate, jobTitle, departmentId, managerId } = application;
  const standing = { applicationId, jobId, status, stage, stageEnteredAt, appliedAt, rejectReason };
  return { ...standing, hiredAt, startDate, jobTitle, departmentId, managerId };
}

/** The name of a new candidate. @throws Problem 400 when there is none. */
export function nameOf({
  name,
  firstName,
  lastName,
}: Pick<CreateCandidate, 'name' | 'firstName' | 'lastName'>): string {
  const made = name ?? [firstName, lastName].filter(Boolean).join(' ').trim();
  if (made !== '') return made;
  throw Problem.validation([{ pointer: '/name', code: 'required', detail: 'Give a name, or first and last name.' }]);
}
