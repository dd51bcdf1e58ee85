import { rounded } from '#libs/kernel/fraction.js';
import type { Figure, Rating } from './figure.dto.js';
import type { Measurement } from './measurements.js';
import type { Metric, MetricTerms } from './metric.js';

/** Share of the target by which a value can miss it and still be `amber`. */
const TOLERANCE = 0.1;
const POINTS: Readonly<Record<Exclude<Rating, 'no_data'>, number>> = { green: 100, amber: 50, red: 0 };

interface Conditions {
  minSample: number;
  /** Base currency of the tenant. */
  currency: string;
  /** The target that the amount is divided by; null if it is not set, undefined if there is no division. */
  divisor: number | null | undefined;
}

/** The value of a measurement; null if it counts too few items. */
export function figureOf(
  { unit }: Pick<MetricTerms, 'unit'>,
  measured: Measurement | undefined,
  { minSample, currency, divisor }: Conditions,
): Figure {
  if (!measured || measured.sample < minSample) return null;
  const { amounts, value } = measured;
  if (unit === 'money') return amounts.length > 0 ? amounts : null;
  if (divisor === undefined) return value === null ? null : rounded(value);
  const own = mainOf(amounts, currency);
  return own === null || !divisor ? null : rounded(own / divisor);
}

/** The number that stands for a figure in comparisons: the value, or the amount in the base currency. */
export function mainOf(figure: Figure, currency: string): number | null {
  if (!Array.isArray(figure)) return figure;
  return figure.find((each) => each.currency === currency)?.minor ?? null;
}

/** The change in percent; null if a value is unknown or the previous one is 0. */
export function changeOf(value: number | null, previous: number | null): number | null {
  return value === null || !previous ? null : rounded((100 * (value - previous)) / Math.abs(previous));
}

export function ratingOf(value: number | null, target: number | null, direction: Metric['direction']): Rating {
  if (value === null || target === null) return 'no_data';
  const missing = direction === 'higher' ? target - value : value - target;
  if (missing <= 0) return 'green';
  return missing <= Math.abs(target) * TOLERANCE ? 'amber' : 'red';
}

/** The mean of the ratings; null if there are none. */
export function scoreOf(ratings: readonly Rating[]): number | null {
  const points = ratings.flatMap((rating) => (rating === 'no_data' ? [] : [POINTS[rating]]));
  return points.length > 0 ? rounded(points.reduce((sum, each) => sum + each, 0) / points.length) : null;
}
