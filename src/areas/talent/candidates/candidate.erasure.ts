import { ERASED } from '#libs/resource/records/traces.js';
import type { StandingRow } from '../applications/application.standing.js';
import { type Candidate, candidates } from './candidate.js';

/** A rating identifies no one and is kept for statistics. */
const COUNTED = 'rating';

/**
 * Data that remains after erasure: source, stages reached, ratings. All other fields declared personal or sensitive are
 * cleared.
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

/** A rejected candidate requires a reason, so its text is replaced instead of cleared. */
export function wordlessStanding({ rejectReason }: StandingRow): Partial<StandingRow> {
  return { rejectReason: rejectReason === null ? null : ERASED };
}
