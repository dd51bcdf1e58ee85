import { Problem } from '#libs/kernel/problem.js';
import { placeAfter, rangeOf } from '../talent.parts.js';
import { consentAfter } from './candidate.consent.js';
import type { Candidate } from './candidate.js';

/** Columns for the nested values in a body, merged with the row and completed. @throws Problem 400. */
export function checkedColumns(
  input: Partial<Candidate>,
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

/** The name of a new candidate. @throws Problem 400 if missing. */
export function nameOf({ name, firstName, lastName }: Partial<Candidate>): string {
  const made = name ?? [firstName, lastName].filter(Boolean).join(' ').trim();
  if (made !== '') return made;
  throw Problem.validation([{ pointer: '/name', code: 'required', detail: 'Give a name, or first and last name.' }]);
}
