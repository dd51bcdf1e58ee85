const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSES_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];

/** Attempts that a run gets before it is given up. */
export const MAX_ATTEMPTS = 10;

/** Time to wait after so many failed attempts, ms; null when that was the last one. */
export function pauseAfter(attempts: number): number | null {
  if (attempts >= MAX_ATTEMPTS) return null;
  return PAUSES_MS[attempts - 1] ?? HOUR_MS;
}
