/** Days that a forecast is based on. */
export const HISTORY_DAYS = 112;
/** Fewest known days in the history. */
export const MIN_KNOWN = 42;
/** Days from which the back-test forecasts: the last ones before the end of the history. */
const ORIGINS = 56;
/** Fewest known days up to one of these. */
const MIN_TRAINING = 21;
/** Fewest errors at a distance for an interval. */
const MIN_ERRORS = 10;
export const MOST_STEPS = 28;
/** Share of the back-test's errors within the interval. */
export const INTERVAL_PERCENT = 80;
/** Weights of the newest value in the level and the trend. */
const LEVEL_WEIGHT = 0.3;
const TREND_WEIGHT = 0.1;

export const METHODS = ['seasonal_naive', 'holt_linear'] as const;
export type Method = (typeof METHODS)[number];

/** The value of each day in order; null if it is not known. */
type Days = readonly (number | null)[];
/** Forecasts for the 1st, 2nd, ... day after the last one; null if not possible. */
type Forecaster = (days: Days, steps: number) => (number | null)[];

export interface BackTest {
  method: Method;
  /** Number of forecasts compared with the value that came. */
  forecasts: number;
  meanAbsoluteError: number;
  /** Mean error as a percentage of the value, over the values other than 0; null without any. */
  meanAbsolutePercentError: number | null;
}

export interface ForecastPoint {
  value: number;
  /** The interval; null if there are too few errors at this distance. */
  low: number | null;
  high: number | null;
}

export interface Forecast {
  method: Method;
  /** Number of known days that it is based on. */
  inputs: number;
  /** Of each method. */
  backTests: BackTest[];
  points: ForecastPoint[];
}

const FORECASTERS: Readonly<Record<Method, Forecaster>> = { seasonal_naive: seasonalNaive, holt_linear: holtLinear };

/**
 * Forecasts by the method whose forecasts over the last weeks had the smaller mean error.
 * @param history consecutive days, oldest first; only the last {@link HISTORY_DAYS} are used
 */
export function forecastOf(history: Days, steps: number): Forecast | 'too_little_history' {
  const days = history.slice(-HISTORY_DAYS);
  const inputs = days.filter((each) => each !== null).length;
  if (inputs < MIN_KNOWN) return 'too_little_history';
  const tested = METHODS.map((method) => ({ method, misses: missesOf(FORECASTERS[method], days, steps) }))
    .filter(({ misses }) => misses.some((each) => each.length > 0))
    .map((each) => ({ ...each, backTest: backTestOf(each.method, each.misses.flat()) }));
  tested.sort((a, b) => a.backTest.meanAbsoluteError - b.backTest.meanAbsoluteError);
  const [best] = tested;
  const forecast = best && FORECASTERS[best.method](days, steps);
  if (!forecast || forecast.includes(null)) return 'too_little_history';
  const floor = days.every((each) => each === null || each >= 0) ? 0 : -Infinity;
  return {
    method: best.method,
    inputs,
    backTests: tested.map(({ backTest }) => backTest),
    points: forecast.map((each, i) => {
      const value = Math.max(floor, each!);
      const miss = quantileOf(best.misses[i]!.map(({ error }) => error));
      if (miss === null) return { value, low: null, high: null };
      return { value, low: Math.max(floor, value - miss), high: value + miss };
    }),
  };
}

interface Miss {
  /** Absolute. */
  error: number;
  /** The value that came. */
  actual: number;
}

/** The errors of past forecasts, by distance. */
function missesOf(forecaster: Forecaster, days: Days, steps: number): Miss[][] {
  const misses = Array.from({ length: steps }, (): Miss[] => []);
  let known = 0;
  for (let origin = 0; origin < days.length - 1; origin++) {
    if (days[origin] !== null) known++;
    if (origin < days.length - 1 - ORIGINS || known < MIN_TRAINING) continue;
    const ahead = Math.min(steps, days.length - 1 - origin);
    for (const [i, forecast] of forecaster(days.slice(0, origin + 1), ahead).entries()) {
      const actual = days[origin + 1 + i]!;
      if (forecast !== null && actual !== null) misses[i]!.push({ error: Math.abs(actual - forecast), actual });
    }
  }
  return misses;
}

function backTestOf(method: Method, misses: readonly Miss[]): BackTest {
  const relative = misses.flatMap(({ error, actual }) => (actual === 0 ? [] : [(100 * error) / Math.abs(actual)]));
  return {
    method,
    forecasts: misses.length,
    meanAbsoluteError: meanOf(misses.map(({ error }) => error)),
    meanAbsolutePercentError: relative.length > 0 ? meanOf(relative) : null,
  };
}

/** The value of the same weekday in the last week in which it is known. */
function seasonalNaive(days: Days, steps: number): (number | null)[] {
  return Array.from({ length: steps }, (_, i) => {
    let at = days.length + i;
    while (at >= days.length || (at >= 0 && days[at] === null)) at -= 7;
    return days[at] ?? null;
  });
}

/** Holt's linear method. Over a day without a value, the level goes on by the trend. */
function holtLinear(days: Days, steps: number): (number | null)[] {
  let level: number | null = null;
  let trend = 0;
  for (const value of days) {
    if (level === null) {
      level = value;
      continue;
    }
    const expected: number = level + trend;
    if (value === null) {
      level = expected;
      continue;
    }
    const next = expected + LEVEL_WEIGHT * (value - expected);
    trend += TREND_WEIGHT * (next - level - trend);
    level = next;
  }
  const last = level;
  return Array.from({ length: steps }, (_, i) => (last === null ? null : last + (i + 1) * trend));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** The error that {@link INTERVAL_PERCENT} of the errors do not exceed (nearest rank). */
function quantileOf(errors: readonly number[]): number | null {
  if (errors.length < MIN_ERRORS) return null;
  const sorted = errors.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * INTERVAL_PERCENT) / 100) - 1]!;
}
