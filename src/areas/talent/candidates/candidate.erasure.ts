import type { Candidate } from './candidate.entity.js';

/** What is left of a candidate who wants to be forgotten: where they came from, how far they came, how they were rated. */
export function anonymous(at: string): Partial<Candidate> {
  return {
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
