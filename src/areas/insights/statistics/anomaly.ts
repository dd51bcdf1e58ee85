/** Earlier weeks whose same weekday a day is compared with. */
export const WEEKS = 12;
/** Days that a test needs: the tested one and the weeks before it. */
export const TEST_DAYS = WEEKS * 7 + 1;
/** Fewest days to compare with. */
export const MIN_WEEKS = 6;
/** Distance from the median, in deviations, from which a value is an anomaly. */
export const THRESHOLD = 3.5;
/** Make both measures of spread equal to the standard deviation of normally distributed values. */
const MEDIAN_SCALE = 1.4826;
const MEAN_SCALE = 1.2533;

/** The value of one day. */
export interface Observation {
  /** Null if it is not known. */
  value: number | null;
  /** Number of counted items. */
  sampleSize: number;
}

export const UNTESTED_REASONS = ['no_value', 'too_little_history', 'too_few_items', 'no_variation'] as const;
/** Why a value was not tested. */
export type Untested = (typeof UNTESTED_REASONS)[number];

export interface AnomalyTest {
  /** Median of the values compared with. */
  median: number;
  /** Their median absolute deviation, or the mean one if that is 0, scaled to a standard deviation. */
  deviation: number;
  /** Distance of the value from the median, in deviations. */
  score: number;
  /** Number of values compared with. */
  inputs: number;
  isAnomaly: boolean;
}

/**
 * Compares the last day with the same weekday of the weeks before.
 * @param days consecutive days, oldest first; only the last {@link TEST_DAYS} are used
 * @param minSample fewest items, on the day or usually, for a test to make sense
 */
export function testOf(days: readonly Observation[], minSample: number): AnomalyTest | Untested {
  const value = days.at(-1)?.value ?? null;
  if (value === null) return 'no_value';
  const earlier = Array.from({ length: WEEKS }, (_, i) => days.at(-1 - 7 * (i + 1)));
  const known = earlier.filter((each): each is Observation & { value: number } => each?.value != null);
  if (known.length < MIN_WEEKS) return 'too_little_history';
  const usual = medianOf(known.map(({ sampleSize }) => sampleSize));
  if (Math.max(days.at(-1)!.sampleSize, usual) < minSample) return 'too_few_items';
  const values = known.map((each) => each.value);
  const median = medianOf(values);
  const deviation = spreadOf(values, median);
  if (deviation === 0) return 'no_variation';
  const score = (value - median) / deviation;
  return { median, deviation, score, inputs: values.length, isAnomaly: Math.abs(score) >= THRESHOLD };
}

function spreadOf(values: readonly number[], median: number): number {
  const distances = values.map((each) => Math.abs(each - median));
  const middle = medianOf(distances) * MEDIAN_SCALE;
  if (middle > 0) return middle;
  return (distances.reduce((sum, each) => sum + each, 0) / distances.length) * MEAN_SCALE;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
