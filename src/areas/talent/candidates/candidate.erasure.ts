import { ERASED } from '#libs/resource/records/traces.js';
import type { StandingRow } from '../applications/application.standing.js';
import { type Candidate, candidates } from './candidate.js';

/** A rating identifies nobody and is kept for statistics. */
const COUNTED = 'rating';

/**
 * What is left of an erased candidate: source, stages reached, ratings. All other fields that are declared as personal
 * or sensitive are emptied.
 */
export function anonymous(row: Candidate, at: string): Partial<Candidate> {
  const { data, defaults = {} } = candidates;
  const personal = Object.keys(data.privacy).filter((field) => field !== COUNTED);
  return {
    ...Object.fromEntries(personal.map((field) => [field, defaults[field] ?? null])),
    ...wordlessStanding(row),
    name: 'Anonymised candidate',
    consentExpiresAt: null,
    anonymizedAt: at,
  };
}

/** A rejected candidate must have a reason; its text is erased. */
export function wordlessStanding({ rejectReason }: StandingRow): Partial<StandingRow> {
  return { rejectReason: rejectReason === null ? null : ERASED };
}
