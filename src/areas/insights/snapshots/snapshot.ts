import type { Measurement } from '#libs/measures/measurements.js';
import type { CataloguedMetric } from '#libs/measures/metric-catalogue.js';

/** Days for which snapshots and anomalies are kept. */
export const KEPT_DAYS = 1_100;

/** A metric as it was recorded for one day. */
export interface StoredFigure {
  /** Number of counted items. */
  sample: number;
  /** Null if there was none, and for amounts. */
  value: number | null;
  /** Amounts of a metric with the unit `money`, by currency. */
  amounts?: Measurement['amounts'];
}

/** All metrics of a tenant on one day. */
export interface Snapshot<F = Record<string, StoredFigure>> {
  date: string;
  recordedAt: string;
  figures: F;
}

/** What is stored of a measurement. A ratio to a target keeps the target of the day. */
export function storedFigure(
  { unit, measure, dividedByTargetOf }: CataloguedMetric,
  { sample, value, amounts }: Measurement,
  { targets, currency }: { targets: Readonly<Record<string, number>>; currency: string },
): StoredFigure {
  if (unit === 'money') return { sample, value: null, amounts };
  if (dividedByTargetOf === undefined) return { sample, value: value ?? (measure.isSum ? 0 : null) };
  const target = targets[dividedByTargetOf];
  const minor = amounts.find((each) => each.currency === currency)?.minor ?? null;
  return { sample, value: minor === null || !target ? null : minor / target };
}
