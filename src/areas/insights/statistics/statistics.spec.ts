import fc from 'fast-check';
import { type Observation, testOf } from './anomaly.js';
import { forecastOf } from './forecast.js';

function expectClose(actual: number | null, expected: number | null): void {
  if (actual === null || expected === null) return expect(actual).toBe(expected);
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
}

const value = fc.option(fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -1_000_000, max: 1_000_000 })), {
  freq: 8,
});
const day = fc.record({ value, sampleSize: fc.nat(12) });
const steps = fc.integer({ min: 1, max: 28 });

/** A value that at least half of the values reach from either side, found by trying; the middle of two if there are two. */
function bruteMedian(values: readonly number[]): number {
  const half = values.length / 2;
  const middle = values.filter(
    (each) => values.filter((x) => x <= each).length >= half && values.filter((x) => x >= each).length >= half,
  );
  return (Math.min(...middle) + Math.max(...middle)) / 2;
}

/** The definition as text: everything is looked up by date. */
function bruteTest(days: readonly Observation[], minSample: number) {
  const last = days.length - 1;
  const tested = days[last];
  if (tested?.value == null) return 'no_value';
  const same = days.filter((each, i) => i < last && i >= last - 84 && (last - i) % 7 === 0 && each.value !== null);
  if (same.length < 6) return 'too_little_history';
  if (tested.sampleSize < minSample && bruteMedian(same.map((each) => each.sampleSize)) < minSample)
    return 'too_few_items';
  const values = same.map((each) => each.value!);
  const median = bruteMedian(values);
  const distances = values.map((each) => Math.abs(each - median));
  let deviation = 1.4826 * bruteMedian(distances);
  if (deviation === 0) for (const each of distances) deviation += (1.2533 * each) / distances.length;
  if (deviation === 0) return 'no_variation';
  return { median, deviation, score: (tested.value - median) / deviation, inputs: values.length };
}

describe('the test for anomalies', () => {
  it('agrees with its definition', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(day, { maxLength: 120, size: 'max' }), fc.nat(10), (days, minSample) => {
        const [found, expected] = [testOf(days, minSample), bruteTest(days, minSample)];
        seen.add(typeof expected === 'string' ? expected : 'tested');
        if (typeof expected === 'string' || typeof found === 'string') return expect(found).toBe(expected);
        expect(found.inputs).toBe(expected.inputs);
        for (const part of ['median', 'deviation', 'score'] as const) expectClose(found[part], expected[part]);
        expect(found.isAnomaly).toBe(Math.abs(found.score) >= 3.5);
      }),
      { numRuns: 1_000 },
    );
    expect([...seen]).toEqual(expect.arrayContaining(['tested', 'no_value', 'too_little_history', 'too_few_items']));
  });

  const weeks = (values: readonly (number | null)[]): Observation[] =>
    values.flatMap((each) => [...Array<null>(6).fill(null), each].map((one) => ({ value: one, sampleSize: 9 })));

  it.each([
    ['far above the usual', [10, 11, 9, 10, 12, 10, 30], true],
    ['far below the usual', [10, 11, 9, 10, 12, 10, 0], true],
    ['as usual', [10, 11, 9, 10, 12, 10, 12], false],
    ['unlike six equal ones and one other', [10, 10, 10, 10, 10, 11, 10, 20], true],
    ['unlike ones that are all equal', [10, 10, 10, 10, 10, 10, 11], 'no_variation'],
    ['after five known weeks', [10, 11, null, 10, 12, 10, 30], 'too_little_history'],
  ])('judges a value %s', (_title, values, expected) => {
    const found = testOf(weeks(values), 5);
    expect(typeof found === 'string' ? found : found.isAnomaly).toBe(expected);
  });

  it('ignores other weekdays', () => {
    const sundaysOff = Array.from({ length: 91 }, (_, i) => ({
      value: i % 7 === 6 ? i % 2 : 50 + (i % 3),
      sampleSize: 50,
    }));
    expect(testOf(sundaysOff, 5)).toMatchObject({ isAnomaly: false });
  });
});

type Days = readonly (number | null)[];

/** The methods as formulas: each forecast starts again from the first day. */
const BRUTE: Record<string, (days: Days, ahead: number) => number | null> = {
  seasonal_naive: (days, ahead) => {
    const target = days.length - 1 + ahead;
    const same = days.flatMap((each, i) => ((target - i) % 7 === 0 && each !== null ? [each] : []));
    return same.at(-1) ?? null;
  },
  holt_linear: (days, ahead) => {
    const first = days.findIndex((each) => each !== null);
    if (first < 0) return null;
    const state = (i: number): [level: number, trend: number] => {
      if (i === first) return [days[i]!, 0];
      const [level, trend] = states[i - 1]!;
      if (days[i] === null) return [level + trend, trend];
      const next = 0.3 * days[i]! + 0.7 * (level + trend);
      return [next, 0.1 * (next - level) + 0.9 * trend];
    };
    const states: Record<number, [number, number]> = {};
    for (let i = first; i < days.length; i++) states[i] = state(i);
    const [level, trend] = states[days.length - 1]!;
    return level + ahead * trend;
  },
};

function bruteForecast(all: Days, horizon: number) {
  const days = all.slice(-112);
  const known = (until: number) => days.slice(0, until + 1).filter((each) => each !== null).length;
  if (known(days.length) < 42) return 'too_little_history';
  const last = days.length - 1;
  const candidates = ['seasonal_naive', 'holt_linear'].map((method) => {
    const errors: { ahead: number; error: number; actual: number }[] = [];
    for (let origin = Math.max(0, last - 56); origin < last; origin++)
      for (let ahead = 1; ahead <= horizon && origin + ahead <= last; ahead++) {
        const forecast = known(origin) < 21 ? null : BRUTE[method]!(days.slice(0, origin + 1), ahead);
        const actual = days[origin + ahead]!;
        if (forecast !== null && actual !== null) errors.push({ ahead, error: Math.abs(forecast - actual), actual });
      }
    const mean = (values: number[]) => values.reduce((sum, each) => sum + each / values.length, 0);
    const relative = errors.filter(({ actual }) => actual !== 0).map(({ error, actual }) => error / Math.abs(actual));
    return {
      method,
      errors,
      mae: mean(errors.map(({ error }) => error)),
      mape: relative.length > 0 ? 100 * mean(relative) : null,
    };
  });
  return candidates.filter(({ errors }) => errors.length > 0);
}

describe('a forecast', () => {
  const history = fc.oneof(
    fc.array(value, { minLength: 30, maxLength: 130, size: 'max' }),
    fc
      .tuple(
        fc.nat(100),
        fc.integer({ min: -3, max: 3 }),
        fc.array(fc.nat(9), { minLength: 60, maxLength: 130, size: 'max' }),
      )
      .map(([level, slope, noise]) => noise.map((each, i) => level + slope * i + each)),
  );

  it('agrees with its definition', () => {
    const methods = new Set<string>();
    fc.assert(
      fc.property(history, steps, (days, horizon) => {
        const [found, expected] = [forecastOf(days, horizon), bruteForecast(days, horizon)];
        if (typeof expected === 'string') return expect(found).toBe(expected);
        if (typeof found === 'string') {
          // The better method knows no value of some weekday.
          const least = Math.min(...expected.map(({ mae }) => mae));
          const best = expected.filter(({ mae }) => mae <= least * (1 + 1e-9));
          const ahead = Array.from({ length: horizon }, (_, i) => i + 1);
          const isUnknown = ({ method }: { method: string }) =>
            ahead.some((each) => BRUTE[method]!(days.slice(-112), each) === null);
          return expect(best.length === 0 || best.some(isUnknown)).toBe(true);
        }
        methods.add(found.method);
        expect(found.backTests).toHaveLength(expected.length);
        const best = expected.find(({ method }) => method === found.method)!;
        for (const each of expected) expect(best.mae).toBeLessThanOrEqual(each.mae * (1 + 1e-9));
        for (const { method, forecasts, meanAbsoluteError, meanAbsolutePercentError } of found.backTests) {
          const other = expected.find((each) => each.method === method)!;
          expect(forecasts).toBe(other.errors.length);
          expectClose(meanAbsoluteError, other.mae);
          expectClose(meanAbsolutePercentError, other.mape);
        }
        const floor = days.slice(-112).some((each) => each !== null && each < 0) ? -Infinity : 0;
        for (const [i, { value: point, low, high }] of found.points.entries()) {
          expectClose(point, Math.max(floor, BRUTE[found.method]!(days.slice(-112), i + 1)!));
          const errors = best.errors.filter(({ ahead }) => ahead === i + 1).map(({ error }) => error);
          if (errors.length < 10) return expect([low, high]).toEqual([null, null]);
          const within = errors.filter((error) => error <= (high! - point) * (1 + 1e-9) + 1e-6).length;
          expect(within).toBeGreaterThanOrEqual(0.8 * errors.length);
          expect(errors.some((error) => Math.abs(error - (high! - point)) <= 1e-6)).toBe(true);
          expect(low).toBeGreaterThanOrEqual(floor);
        }
      }),
      { numRuns: 300 },
    );
    expect([...methods].sort()).toEqual(['holt_linear', 'seasonal_naive']);
  });

  it('repeats a weekly pattern', () => {
    const days = Array.from({ length: 84 }, (_, i) => [5, 9, 2, 7, 1, 0, 0][i % 7]!);
    const found = forecastOf(days, 7);
    expect(found).toMatchObject({ method: 'seasonal_naive', inputs: 84 });
    if (typeof found !== 'string') expect(found.points.map((each) => each.value)).toEqual([5, 9, 2, 7, 1, 0, 0]);
    expect(found).toMatchObject({ backTests: [{ meanAbsoluteError: 0, meanAbsolutePercentError: 0 }, {}] });
  });

  it('continues a line', () => {
    const found = forecastOf(
      Array.from({ length: 112 }, (_, i) => 1_000 + 10 * i),
      3,
    );
    expect(found).toMatchObject({ method: 'holt_linear' });
    if (typeof found !== 'string')
      expectNear(
        found.points.map((each) => each.value),
        [2_120, 2_130, 2_140],
      );
  });

  it('is not made from 41 known days', () => {
    const days = [...Array<number | null>(60).fill(null), ...Array<number>(41).fill(3)];
    expect(forecastOf(days, 7)).toBe('too_little_history');
    expect(forecastOf([...days, 3], 7)).toMatchObject({ inputs: 42 });
  });

  it('has no interval at distances with fewer than ten errors', () => {
    const found = forecastOf(Array<number>(50).fill(3), 28);
    if (typeof found === 'string') throw new Error(found);
    expect(found.points[0]).toEqual({ value: 3, low: 3, high: 3 });
    expect(found.points[27]).toEqual({ value: 3, low: null, high: null });
  });
});

function expectNear(actual: readonly number[], expected: readonly number[]): void {
  for (const [i, each] of expected.entries()) expect(Math.abs(actual[i]! - each)).toBeLessThan(2);
}
