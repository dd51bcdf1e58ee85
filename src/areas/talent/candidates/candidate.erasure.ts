import { ERASED } from '#libs/resource/records/traces.js';
import type { StandingRow } from '../applications/application.standing.js';
import { type Candidate, candidates } from './candidate.js';

/** Says how good somebody was, not who they are: it is counted. */
const COUNTED = 'rating';

/**
 * What is left of a candidate who wants to be forgotten: where they came from, how far they came, how they were rated. All
 * other fields that are declared as personal or sensitive are emptied.
 */
export function anonymous(row: Candidate, at: string): Partial<Candidate> {
  const { data, defaults = {} } = candidates;
  const personal = Object.keys(data!.privacy).filter((field) => field !== COUNTED);
  return {
    ...Object.fromEntries(personal.map((field) => [field, defaults[field] ?? null])),
    ...wordlessStanding(row),
    name: 'Anonymised candidate',
    consentExpiresAt: null,
    anonymizedAt: at,
  };
}

/** Whoever was rejected has a reason; what it says is gone. */
export function wordlessStanding({ rejectReason }: StandingRow): Partial<StandingRow> {
  return { rejectReason: rejectReason === null ? null : ERASED };
}
