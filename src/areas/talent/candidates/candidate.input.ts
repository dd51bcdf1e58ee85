import { placeAfter, rangeOf } from '../talent.parts.js';
import { consentAfter } from './candidate.consent.js';
import type { CreateCandidate } from './candidate.dto.js';
import type { Candidate } from './candidate.entity.js';

/** The columns of nested values that a body holds: merged with what a row has, completed. @throws Problem 400. */
export function checkedColumns(
  input: Partial<CreateCandidate>,
  row: Candidate | null,
  facts: { now: string; months: number },
): Partial<Candidate> {
  const { consent: patch } = input;
  const location = placeAfter(row?.location ?? null, input.location);
  const salaryExpectation = rangeOf(input.salaryExpectation, '/salaryExpectation');
  const consent = patch && consentAfter(row?.consent ?? null, patch, facts);
  return {
    ...(location === undefined ? {} : { location }),
    ...(salaryExpectation === undefined ? {} : { salaryExpectation }),
    ...(consent === undefined ? {} : { consent, consentExpiresAt: consent?.expiresAt ?? null }),
  };
}
