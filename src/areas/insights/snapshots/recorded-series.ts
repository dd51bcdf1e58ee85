import { type DaySpan, daysOf } from '#libs/kernel/day-span.js';
import type { CataloguedMetric } from '#libs/kpi/metric-catalogue.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Snapshot, StoredFigure } from './snapshot.js';

export const UNKNOWN_REASONS = ['not_recorded', 'too_few_items', 'no_value'] as const;
/** Why the value of a day is not known. */
export type Unknown = (typeof UNKNOWN_REASONS)[number];

/** A metric on one day. */
export interface RecordedPoint {
  date: string;
  /** Null if it is not known. */
  value: number | null;
  sampleSize: number;
  recordedAt: string | null;
  unknownBecause: Unknown | null;
}

/** A metric over time, in one currency. */
export interface RecordedSeries {
  /** Null unless the unit is `money`. */
  currency: string | null;
  /** One for each day of the span. */
  points: RecordedPoint[];
}

/** The values of a metric by day; for amounts, one series per currency, that of the tenant first. */
export function seriesOf(
  metric: CataloguedMetric,
  span: DaySpan,
  snapshots: readonly Snapshot<Partial<Record<string, StoredFigure>>>[],
  minSample: number,
): RecordedSeries[] {
  const byDate = new Map(snapshots.map((each) => [each.date, each]));
  const days = daysOf(span).map((date) => ({ date, snapshot: byDate.get(date) }));
  const currencies = metric.unit === 'money' ? currenciesOf(metric, snapshots) : [null];
  return currencies.map((currency) => ({
    currency,
    points: days.map(({ date, snapshot }): RecordedPoint => {
      const figure = snapshot?.figures[metric.key];
      if (!snapshot || !figure)
        return { date, value: null, sampleSize: 0, recordedAt: null, unknownBecause: 'not_recorded' };
      const isTooFew = !metric.measure.isSum && figure.sample < minSample;
      const value = isTooFew ? null : valueIn(metric, figure, currency);
      const unknownBecause = value !== null ? null : isTooFew ? 'too_few_items' : 'no_value';
      return { date, value, sampleSize: figure.sample, recordedAt: snapshot.recordedAt, unknownBecause };
    }),
  }));
}

/** A sum in a currency without items is 0. */
function valueIn({ measure }: CataloguedMetric, { value, amounts }: StoredFigure, currency: string | null) {
  if (currency === null) return value;
  const found = amounts?.find((each) => each.currency === currency);
  return found ? found.minor : measure.isSum ? 0 : null;
}

function currenciesOf(
  { key }: CataloguedMetric,
  snapshots: readonly Snapshot<Partial<Record<string, StoredFigure>>>[],
): string[] {
  const found = snapshots.flatMap(({ figures }) => figures[key]?.amounts?.map(({ currency }) => currency) ?? []);
  return [...new Set([currentTenant().currency, ...found.sort()])];
}
