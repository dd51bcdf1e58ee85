import { MINUTE_MS } from '#libs/kernel/durations.js';
import { coverageOf, hoursOf, sumOf } from './sla-figures.js';

const START = Date.parse('2026-10-01T00:00:00Z');
const minute = (index: number, good: number, bad: number) => ({
  atMs: START + index * MINUTE_MS,
  good,
  bad,
  latency: [good],
});
const window = (from: number, to: number) => ({ fromMs: START + from * MINUTE_MS, toMs: START + to * MINUTE_MS });

describe('a bad minute', () => {
  it.each([
    [4, 1, 1],
    [3, 1, 0],
    [0, 4, 0],
    [90, 10, 1],
    [91, 9, 0],
  ])('with %i good and %i bad requests: %i', (good, bad, expected) => {
    expect(hoursOf([minute(0, good, bad)], [])[0]!.badMinutes).toBe(expected);
  });
});

describe('maintenance', () => {
  it('excludes each minute that it touches', () => {
    const minutes = [0, 1, 2, 3].map((index) => minute(index, 1, 0));
    expect(hoursOf(minutes, [window(0.5, 2)])).toMatchObject([{ good: 2, total: 2 }]);
    expect(coverageOf(window(0, 4), new Set([START, START + 3 * MINUTE_MS]), [window(0.5, 2)])).toEqual({
      minutes: 2,
      uncoveredMinutes: 1,
      maintenanceMinutes: 2,
    });
  });
});

it('hours add up, with their latency', () => {
  const hours = hoursOf([minute(0, 5, 1), minute(59, 5, 0), minute(60, 5, 5)], []);
  expect(hours).toHaveLength(2);
  expect(sumOf(hours)).toEqual({ good: 15, total: 21, badMinutes: 2, latency: [15] });
});
