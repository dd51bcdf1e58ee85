import { Field, flag, instant, oneOf } from '#libs/http/field.js';
import { Problem } from '#libs/kernel/problem.js';

const BASES = ['consent', 'legitimate_interest'] as const;
const maybe = { optional: true, nullable: true } as const;

/** The legal basis for storing a candidate's data. */
export class CandidateConsent {
  @Field(oneOf(BASES), { description: 'Legal basis.', example: 'consent', ...maybe })
  basis!: (typeof BASES)[number] | null;

  @Field(instant(), {
    description: 'Start of the consent, not in the future; by default now, if there is a basis.',
    ...maybe,
  })
  givenAt!: string | null;

  @Field(instant(), {
    description:
      'End of the consent, after its start; by default, if there is a basis, after the number of months in the settings.',
    ...maybe,
  })
  expiresAt!: string | null;

  @Field(flag(), { description: 'Whether the candidate must not be contacted.', example: false, optional: true })
  doNotContact!: boolean;
}

/** Of a candidate about whom nothing is known. */
export const NO_CONSENT: CandidateConsent = { basis: null, givenAt: null, expiresAt: null, doNotContact: false };

/** The consent after a merge patch: instants in UTC, defaults of the legal basis filled in. @throws Problem 400. */
export function consentAfter(
  before: CandidateConsent | null,
  patch: Partial<CandidateConsent>,
  facts: { now: string; months: number },
): CandidateConsent {
  const merged: CandidateConsent = { ...NO_CONSENT, ...before, ...patch };
  const given = { givenAt: utc(merged.givenAt), expiresAt: utc(merged.expiresAt) };
  requireInOrder(given, facts.now);
  if (merged.basis === null) return { ...merged, ...given };
  const givenAt = given.givenAt ?? facts.now;
  return { ...merged, givenAt, expiresAt: given.expiresAt ?? monthsLater(givenAt, facts.months) };
}

function requireInOrder({ givenAt, expiresAt }: Pick<CandidateConsent, 'givenAt' | 'expiresAt'>, now: string): void {
  const refuse = (field: string, detail: string): never => {
    throw Problem.validation([{ pointer: `/consent/${field}`, code: 'out_of_range', detail }]);
  };
  if (givenAt !== null && givenAt > now) refuse('givenAt', 'A consent cannot be given in the future.');
  if (givenAt !== null && expiresAt !== null && expiresAt <= givenAt)
    refuse('expiresAt', 'A consent cannot end before it is given.');
}

function utc(instantText: string | null): string | null {
  return instantText === null ? null : new Date(instantText).toISOString();
}

/** Adds months and keeps the time of day; uses the last day of shorter months. */
function monthsLater(from: string, months: number): string {
  const date = new Date(from);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.toISOString();
}
