import { ERASED } from '#libs/resource/traces.js';
import type { StandingRow } from '../applications/application.standing.js';
import type { Candidate } from './candidate.js';

/** What is left of a candidate who wants to be forgotten: where they came from, how far they came, how they were rated. */
export function anonymous(row: Candidate, at: string): Partial<Candidate> {
  return {
    ...wordlessStanding(row),
    name: 'Anonymised candidate',
    firstName: null,
    lastName: null,
    email: null,
    emails: [],
    phones: [],
    links: [],
    headline: null,
    currentCompany: null,
    currentTitle: null,
    location: null,
    skills: [],
    sourceDetail: null,
    referredById: null,
    coverLetter: null,
    salaryExpectation: null,
    consent: null,
    consentExpiresAt: null,
    anonymizedAt: at,
  };
}

/** Whoever was rejected has a reason; what it says is gone. */
export function wordlessStanding({ rejectReason }: StandingRow): Partial<StandingRow> {
  return { rejectReason: rejectReason === null ? null : ERASED };
}
