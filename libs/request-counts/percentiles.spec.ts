import { addLatency, percentileOf } from './percentiles.js';

const histogram = (counts: Record<number, number>) => Array.from({ length: 12 }, (_, bucket) => counts[bucket] ?? 0);

describe('a percentile of a histogram', () => {
  it.each([
    ['is interpolated within its bucket', histogram({ 3: 100 }), 50, 37.5],
    ['is the upper bound for the last observation of a bucket', histogram({ 3: 100 }), 100, 50],
    ['starts at zero in the first bucket', histogram({ 0: 10 }), 10, 0.5],
    ['skips empty buckets', histogram({ 0: 90, 6: 10 }), 95, 375],
    ['is the lower bound of the last bucket, which has no upper one', histogram({ 11: 3 }), 50, 10_000],
  ])('%s', (_title, counts, percent, expected) => {
    expect(percentileOf(counts, percent)).toBeCloseTo(expected, 9);
  });

  it.each([
    [20, 99, 20],
    [60, 99, 49.75],
    [null, 99, 49.75],
  ])('never exceeds the longest observation of %s ms', (max, percent, expected) => {
    expect(percentileOf(histogram({ 3: 4 }), percent, max)).toBeCloseTo(expected, 9);
  });

  it('is null without observations', () => expect(percentileOf(histogram({}), 50)).toBeNull());

  it('of added histograms counts both', () => {
    const sum = histogram({ 0: 1 });
    addLatency(sum, histogram({ 0: 1, 11: 2 }));
    expect(sum).toEqual(histogram({ 0: 2, 11: 2 }));
  });
});
