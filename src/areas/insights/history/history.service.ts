import { Injectable } from '@nestjs/common';
import { rounded } from '#libs/kernel/fraction.js';
import { addDays } from '#libs/kernel/civil-time.js';
import type { CataloguedMetric } from '#libs/measures/metric-catalogue.js';
import { WholeMetrics } from '../metrics/whole-metrics.js';
import { RecordedMetrics } from '../snapshots/recorded-metrics.js';
import type { RecordedSeries } from '../snapshots/recorded-series.js';
import { TEST_DAYS, testOf } from '../statistics/anomaly.js';
import { forecastOf, HISTORY_DAYS } from '../statistics/forecast.js';
import {
  DEFAULT_DAYS,
  DEFAULT_STEPS,
  type ForecastQuery,
  type ForecastSeries,
  type HistoryQuery,
  type LatestTest,
  type MetricForecast,
  type MetricHistory,
  MOST_DAYS,
} from './history.dto.js';

/** What a metric was, and what it may become. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly metrics: WholeMetrics,
    private readonly recorded: RecordedMetrics,
  ) {}

  /** @throws Problem 404 for a metric that the caller may not see, 400 for an invalid span. */
  async history(key: string, query: HistoryQuery): Promise<MetricHistory> {
    const metric = this.metrics.get(key);
    const span = await this.recorded.spanOf(query, DEFAULT_DAYS, MOST_DAYS);
    const minSample = await this.recorded.minSample();
    // The test of the last day needs days before the span.
    const earlier = addDays(span.to, 1 - TEST_DAYS);
    const all = await this.recorded.series(metric, { ...span, from: earlier < span.from ? earlier : span.from });
    const series = all.map(({ currency, points }) => ({
      currency,
      points: points
        .filter(({ date }) => date >= span.from)
        .map((each) => ({ ...each, value: each.value === null ? null : rounded(each.value) })),
      lastDay: latestTest(points, minSample),
    }));
    const recordedDays = series[0]!.points.filter(({ recordedAt }) => recordedAt !== null).length;
    return { ...factsOf(metric), ...span, recordedDays, series };
  }

  /** @throws Problem 404 for a metric that the caller may not see. */
  async forecast(key: string, { days = DEFAULT_STEPS }: ForecastQuery): Promise<MetricForecast> {
    const metric = this.metrics.get(key);
    const span = await this.recorded.spanOf({}, HISTORY_DAYS, HISTORY_DAYS);
    const all = await this.recorded.series(metric, span);
    const lastRecorded = all[0]!.points.findLast(({ recordedAt }) => recordedAt !== null)?.date ?? null;
    return { ...factsOf(metric), lastRecorded, series: all.map((each) => forecastSeries(each, lastRecorded, days)) };
  }
}

function factsOf({ key: metric, name, formula, unit }: CataloguedMetric) {
  return { metric, name, formula, unit };
}

function latestTest(points: RecordedSeries['points'], minSample: number): LatestTest {
  const test = testOf(points, minSample);
  if (typeof test === 'string') return { median: null, deviation: null, score: null, inputs: 0, untestedBecause: test };
  const { median, deviation, score, inputs } = test;
  return {
    median: rounded(median),
    deviation: rounded(deviation),
    score: rounded(score),
    inputs,
    untestedBecause: null,
  };
}

function forecastSeries({ currency, points }: RecordedSeries, last: string | null, days: number): ForecastSeries {
  const known = points.filter(({ date }) => last !== null && date <= last).map(({ value }) => value);
  const forecast = forecastOf(known, days);
  if (typeof forecast === 'string') {
    const inputs = known.filter((each) => each !== null).length;
    return { currency, method: null, unknownBecause: forecast, inputs, backTests: [], points: [] };
  }
  const { method, inputs, backTests } = forecast;
  return {
    currency,
    method,
    unknownBecause: null,
    inputs,
    backTests: backTests.map(({ meanAbsoluteError, meanAbsolutePercentError, ...each }) => ({
      ...each,
      meanAbsoluteError: rounded(meanAbsoluteError),
      meanAbsolutePercentError: roundedOrNull(meanAbsolutePercentError),
    })),
    points: forecast.points.map(({ value, low, high }, i) => {
      const date = addDays(last!, i + 1);
      return { date, value: rounded(value), low: roundedOrNull(low), high: roundedOrNull(high) };
    }),
  };
}

function roundedOrNull(value: number | null): number | null {
  return value === null ? null : rounded(value);
}
