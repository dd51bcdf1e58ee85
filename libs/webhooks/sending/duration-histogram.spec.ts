import { bucketOf, DURATION_BOUNDS, percentile } from './duration-histogram.js';

const histogram = (...durations: number[]): number[] => {
  const counts = DURATION_BOUNDS.map(() => 0);
  for (const ms of durations) counts[bucketOf(ms)]!++;
  return counts;
};

describe('a histogram of durations', () => {
  it('has rising bounds of which none is more than a third above the one before, from 6 ms on', () => {
    for (const [i, bound] of DURATION_BOUNDS.entries()) {
      const before = DURATION_BOUNDS[i - 1] ?? 0;
      expect(bound).toBeGreaterThan(before);
      if (before >= 6) expect(bound / before).toBeLessThanOrEqual(4 / 3);
    }
    expect(DURATION_BOUNDS.at(-1)).toBe(30_000);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [7, 8],
    [1_000, 1_000],
    [1_001, 1_250],
    [30_000, 30_000],
    [31_000, 30_000],
  ])('has %d ms in the bucket up to %d ms', (ms, bound) => {
    expect(DURATION_BOUNDS[bucketOf(ms)]).toBe(bound);
  });

  it('tells what a share of the attempts did not exceed', () => {
    const counts = histogram(...Array.from({ length: 94 }, () => 9), ...Array.from({ length: 6 }, () => 700));
    expect(percentile(counts, 0.5)).toBe(10);
    expect(percentile(counts, 0.94)).toBe(10);
    expect(percentile(counts, 0.95)).toBe(800);
    expect(percentile(counts, 1)).toBe(800);
    expect(percentile(histogram(3), 0.95)).toBe(3);
  });

  it('tells nothing of no attempts', () => {
    expect(percentile(histogram(), 0.95)).toBeNull();
    expect(percentile([], 0.95)).toBeNull();
  });
});
