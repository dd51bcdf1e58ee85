/**
 * Upper bounds of the buckets of a histogram of durations, ms: ten per decade (R10 of ISO 3) up to the longest possible
 * attempt. An attempt of 130 ms is in the bucket up to 160, so a value read from a histogram is never too low and, from
 * 6 ms on, at most a third too high.
 */
export const DURATION_BOUNDS: readonly number[] = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32, 40, 50, 63, 80, 100, 125, 160, 200, 250, 315, 400, 500, 630, 800, 1_000,
  1_250, 1_600, 2_000, 2_500, 3_150, 4_000, 5_000, 6_300, 8_000, 10_000, 12_500, 16_000, 20_000, 25_000, 30_000,
];

/** Index of a duration in the counts of a histogram. The last bucket also contains longer durations. */
export function bucketOf(ms: number): number {
  const found = DURATION_BOUNDS.findIndex((bound) => ms <= bound);
  return found === -1 ? DURATION_BOUNDS.length - 1 : found;
}

/**
 * The duration, ms, that a share of all attempts (above 0, up to 1) did not exceed: the upper bound of the bucket with
 * the last of them. Null if there are no attempts.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = Math.ceil(total * share);
  let seen = 0;
  const bucket = counts.findIndex((count) => (seen += count) >= wanted);
  return DURATION_BOUNDS[bucket]!;
}
