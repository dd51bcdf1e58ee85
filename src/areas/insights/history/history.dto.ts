import { civilDate, Field, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { METRIC_UNITS, type MetricUnit } from '#libs/measures/metric.js';
import { UNKNOWN_REASONS, type Unknown } from '../snapshots/recorded-series.js';
import { MIN_WEEKS, UNTESTED_REASONS, type Untested, WEEKS } from '../statistics/anomaly.js';
import { HISTORY_DAYS, INTERVAL_PERCENT, type Method, METHODS, MIN_KNOWN, MOST_STEPS } from '../statistics/forecast.js';

/** Maximum number of days in one response. */
export const MOST_DAYS = 366;
export const DEFAULT_DAYS = 90;
export const DEFAULT_STEPS = 14;
const MOST_CURRENCIES = 200;

const figure = () => number({ min: -MAX_MINOR, max: MAX_MINOR });
const count = () => integer({ min: 0, max: MAX_MINOR });

export const METRIC_PARAMS = {
  key: { kind: keyInPath, description: 'Key of the metric, such as `pipeline_value`.' },
};

export class HistoryQuery {
  @Field(civilDate(), {
    description: `First day; by default the ${DEFAULT_DAYS} days that end with \`to\`. At most ${MOST_DAYS} days.`,
    example: '2026-08-23',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), {
    description: 'Last day, in the time zone of the tenant; yesterday by default.',
    example: '2026-11-20',
    optional: true,
  })
  to?: string;
}

export class ForecastQuery {
  @Field(integer({ min: 1, max: MOST_STEPS }), {
    description: `Number of days after the last recorded one; ${DEFAULT_STEPS} by default.`,
    example: DEFAULT_STEPS,
    optional: true,
  })
  days?: number;
}

class MetricFacts {
  @Field(text({ max: 60 }), { description: 'Key of the metric.', example: 'pipeline_value' })
  metric!: string;

  @Field(text({ max: 100 }), { description: 'Name of the metric.', example: 'Pipeline value' })
  name!: string;

  @Field(text({ max: 500 }), {
    description: 'How each value is calculated.',
    example: 'Sum of the values of the deals that are open now.',
  })
  formula!: string;

  @Field(oneOf(METRIC_UNITS), {
    description: 'Unit of the values. Amounts are in minor units.',
    example: 'money',
  })
  unit!: MetricUnit;
}

export class HistoryPoint {
  @Field(civilDate(), { description: 'Day.', example: '2026-11-20' })
  date!: string;

  @Field(figure(), { description: 'Value; null if it is not known.', nullable: true, example: 2_500_000 })
  value!: number | null;

  @Field(count(), { description: 'Number of counted items, over all currencies.', example: 48 })
  sampleSize!: number;

  @Field(instant(), { description: 'Time of recording; null for a missed day.', nullable: true })
  recordedAt!: string | null;

  @Field(oneOf(UNKNOWN_REASONS), {
    description:
      'Why the value is not known. `not_recorded`: the day was missed, or precedes the metric. `too_few_items`: fewer than `scorecards.minSample` items for a mean or share. `no_value`: no items, no target, or an amount beyond the range of exact integers.',
    nullable: true,
    example: null,
  })
  unknownBecause!: Unknown | null;
}

/** The anomaly test of the last day of a series. */
export class LatestTest {
  @Field(figure(), { description: 'Median of the values compared with.', nullable: true, example: 2_400_000 })
  median!: number | null;

  @Field(figure(), { description: 'Their deviation, as in `Anomaly`.', nullable: true, example: 80_000 })
  deviation!: number | null;

  @Field(figure(), { description: '(value − median) ÷ deviation.', nullable: true, example: 1.25 })
  score!: number | null;

  @Field(integer({ min: 0, max: WEEKS }), { description: 'Number of values compared with.', example: 12 })
  inputs!: number;

  @Field(oneOf(UNTESTED_REASONS), {
    description: `Why there is no test. \`too_little_history\`: fewer than ${MIN_WEEKS} of the ${WEEKS} days compared with are known. \`no_variation\`: they are all equal.`,
    nullable: true,
    example: null,
  })
  untestedBecause!: Untested | null;
}

export class HistorySeries {
  @Field(currencyCode(), { description: 'Currency of amounts; null for other units.', nullable: true, example: 'USD' })
  currency!: string | null;

  @Field(listOf(nested(HistoryPoint), { max: MOST_DAYS }), {
    description: 'Every day of the span in order. Missed days are gaps: they are never interpolated.',
  })
  points!: HistoryPoint[];

  @Field(nested(LatestTest), {
    description: `The last day compared with the same weekday of the ${WEEKS} weeks before, as for anomalies.`,
  })
  lastDay!: LatestTest;
}

export class MetricHistory extends MetricFacts {
  @Field(civilDate(), { description: 'First day.', example: '2026-08-23' })
  from!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-11-20' })
  to!: string;

  @Field(count(), { description: 'Number of recorded days in the span.', example: 89 })
  recordedDays!: number;

  @Field(listOf(nested(HistorySeries), { max: MOST_CURRENCIES }), {
    description: 'One series; for amounts, one for each currency that occurs, that of the tenant first.',
  })
  series!: HistorySeries[];
}

export class ForecastDay {
  @Field(civilDate(), { description: 'Day.', example: '2026-11-21' })
  date!: string;

  @Field(figure(), { description: 'Forecast.', example: 2_510_000 })
  value!: number;

  @Field(figure(), {
    description: `Lower end of the interval: the forecast less the error that ${INTERVAL_PERCENT}% of the back-test’s errors at this distance do not exceed. Null with fewer than 10 errors.`,
    nullable: true,
    example: 2_380_000,
  })
  low!: number | null;

  @Field(figure(), { description: 'Upper end of the interval.', nullable: true, example: 2_640_000 })
  high!: number | null;
}

export class ForecastError {
  @Field(oneOf(METHODS), { description: 'Method.', example: 'holt_linear' })
  method!: Method;

  @Field(count(), { description: 'Number of forecasts compared with the recorded value.', example: 693 })
  forecasts!: number;

  @Field(figure(), { description: 'Mean absolute error.', example: 64_000 })
  meanAbsoluteError!: number;

  @Field(figure(), {
    description: 'Mean absolute error in percent of the recorded value, over values other than 0.',
    nullable: true,
    example: 2.6,
  })
  meanAbsolutePercentError!: number | null;
}

export class ForecastSeries {
  @Field(currencyCode(), { description: 'Currency of amounts; null for other units.', nullable: true, example: 'USD' })
  currency!: string | null;

  @Field(oneOf(METHODS), {
    description:
      'The method with the smaller mean absolute error. `seasonal_naive`: the last known value of the same weekday. `holt_linear`: Holt’s linear method with the weights 0.3 for the level and 0.1 for the trend. Null without a forecast.',
    nullable: true,
    example: 'holt_linear',
  })
  method!: Method | null;

  @Field(oneOf(['too_little_history']), {
    description: `Why there is no forecast: fewer than ${MIN_KNOWN} of the last ${HISTORY_DAYS} days are known, or no day of some weekday.`,
    nullable: true,
    example: null,
  })
  unknownBecause!: 'too_little_history' | null;

  @Field(integer({ min: 0, max: HISTORY_DAYS }), { description: 'Number of known days used.', example: 110 })
  inputs!: number;

  @Field(listOf(nested(ForecastError), { max: METHODS.length }), {
    description: 'Errors of the forecasts that each method would have made on each of the last 56 days.',
  })
  backTests!: ForecastError[];

  @Field(listOf(nested(ForecastDay), { max: MOST_STEPS }), { description: 'The days ahead; empty without a forecast.' })
  points!: ForecastDay[];
}

export class MetricForecast extends MetricFacts {
  @Field(civilDate(), {
    description: `Last recorded day, from which the days are counted; null without one in the last ${HISTORY_DAYS} days.`,
    nullable: true,
    example: '2026-11-20',
  })
  lastRecorded!: string | null;

  @Field(listOf(nested(ForecastSeries), { max: MOST_CURRENCIES }), {
    description: 'One series; for amounts, one for each currency, as in the history.',
  })
  series!: ForecastSeries[];
}
