import { LATENCY_BOUNDS_MS } from './request-counts.js';

/**
 * A percentile of a latency histogram in ms, interpolated linearly within its bucket; null without observations. In the
 * last bucket, which has no upper bound, it is the lower bound.
 * @param max the longest observation, which no percentile exceeds; null if it is not known
 */
export function percentileOf(latency: readonly number[], percent: number, max: number | null = null): number | null {
  const found = interpolated(latency, percent);
  return found === null || max === null ? found : Math.min(found, max);
}

function interpolated(latency: readonly number[], percent: number): number | null {
  const total = latency.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = (total * percent) / 100;
  let below = 0;
  for (const [bucket, count] of latency.entries()) {
    const upper = LATENCY_BOUNDS_MS[bucket];
    const lower = bucket === 0 ? 0 : LATENCY_BOUNDS_MS[bucket - 1]!;
    if (upper === undefined) return lower;
    if (count > 0 && below + count >= rank) return lower + ((upper - lower) * (rank - below)) / count;
    below += count;
  }
  return null;
}

/** Adds histograms bucket by bucket. */
export function addLatency(into: number[], more: readonly number[]): void {
  for (const [bucket, count] of more.entries()) into[bucket] = (into[bucket] ?? 0) + count;
}
