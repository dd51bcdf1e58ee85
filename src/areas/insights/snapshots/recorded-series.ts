import { type DaySpan, daysOf } from '#libs/kernel/day-span.js';
import type { CataloguedMetric } from '#libs/measures/metric-catalogue.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Snapshot, StoredFigure } from './snapshot.js';

export const UNKNOWN_REASONS = ['not_recorded', 'too_few_items', 'no_value', 'no_data'] as const;
/** Why the value of a day is not known. */
export type Unknown = (typeof UNKNOWN_REASONS)[number];

/** The value of a metric in one currency. */
export interface KnownValue {
  /** Null if it is not known. */
  value: number | null;
  sampleSize: number;
  unknownBecause: Unknown | null;
}

/** A metric on one day. */
export interface RecordedPoint extends KnownValue {
  date: string;
  recordedAt: string | null;
}

/** A metric over time, in one currency. */
export interface RecordedSeries {
  /** Null unless the unit is `money`. */
  currency: string | null;
  /** One for each day of the span. */
  points: RecordedPoint[];
}

/** What is known of a metric over time; null for a time that was not recorded. */
export type Figures = readonly (StoredFigure | null)[];

/** The values of a metric by day; for amounts, one series per currency, that of the tenant first. */
export function seriesOf(
  metric: CataloguedMetric,
  span: DaySpan,
  snapshots: readonly Snapshot<Partial<Record<string, StoredFigure>>>[],
  minSample: number,
): RecordedSeries[] {
  const byDate = new Map(snapshots.map((each) => [each.date, each]));
  const days = daysOf(span).map((date) => {
    const snapshot = byDate.get(date);
    const figure = snapshot?.figures[metric.key] ?? null;
    return { date, figure, recordedAt: figure && snapshot!.recordedAt };
  });
  const figures = days.map(({ figure }) => figure);
  return valuesOf(metric, figures, minSample).map(({ currency, values }) => ({
    currency,
    points: days.map(({ date, recordedAt }, i) => ({ date, ...values[i]!, recordedAt })),
  }));
}

/** The values of a metric in the order of `figures`; for amounts, one list per currency, that of the tenant first. */
export function valuesOf(
  metric: CataloguedMetric,
  figures: Figures,
  minSample: number,
): { currency: string | null; values: KnownValue[] }[] {
  const currencies = metric.unit === 'money' ? currenciesOf(figures) : [null];
  return currencies.map((currency) => ({
    currency,
    values: figures.map((figure): KnownValue => {
      if (!figure) return { value: null, sampleSize: 0, unknownBecause: 'not_recorded' };
      const isTooFew = !metric.measure.isSum && figure.sample < minSample;
      const value = isTooFew ? null : valueIn(metric, figure, currency);
      const unknownBecause = value !== null ? null : isTooFew ? 'too_few_items' : 'no_value';
      return { value, sampleSize: figure.sample, unknownBecause };
    }),
  }));
}

/** A sum in a currency without items is 0. */
function valueIn({ measure }: CataloguedMetric, { value, amounts }: StoredFigure, currency: string | null) {
  if (currency === null) return value;
  const found = amounts?.find((each) => each.currency === currency);
  return found ? found.minor : measure.isSum ? 0 : null;
}

function currenciesOf(figures: Figures): string[] {
  const found = figures.flatMap((figure) => figure?.amounts?.map(({ currency }) => currency) ?? []);
  return [...new Set([currentTenant().currency, ...found.sort()])];
}
