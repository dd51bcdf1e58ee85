import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/kernel/durations.js';
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];

/** Attempts before a run is marked as failed. */
export const MAX_ATTEMPTS = 10;

/** Pause after this many failed attempts, ms; null when no attempt is left. */
export function pauseAfter(attempts: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return PAUSES_MS[attempts - 1] ?? HOUR_MS;
}
