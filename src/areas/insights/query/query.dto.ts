import { civilDate, Field, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { METRIC_UNITS, type MetricUnit } from '#libs/measures/metric.js';
import { COMPARISONS, type Comparison, type Grain, GRAINS } from '#libs/measures/period.js';
import { UNKNOWN_REASONS, type Unknown } from '../snapshots/recorded-series.js';

export const MOST_METRICS = 10;
/** Maximum number of periods in one response. */
export const MOST_PERIODS = 62;
const SOURCES = ['records', 'recorded'] as const;
export type Source = (typeof SOURCES)[number];

const figure = () => number({ min: -MAX_MINOR, max: MAX_MINOR });
const count = () => integer({ min: 0, max: MAX_MINOR });

/** Metrics to read over time. */
export class MetricsQuestion {
  @Field(listOf(text({ min: 1, max: 60 }), { min: 1, max: MOST_METRICS, unique: true }), {
    description: 'Keys of metrics, see `GET /api/insights/metrics`.',
    example: ['deals_won', 'pipeline_value'],
  })
  metrics!: string[];

  @Field(civilDate(), { description: 'First day; the first period is the one that it is in.', example: '2026-06-01' })
  from!: string;

  @Field(civilDate(), {
    description: `Last day; the last period is the one that it is in. The current period is measured as it is now; later ones are refused. At most ${MOST_PERIODS} periods.`,
    example: '2026-11-20',
  })
  to!: string;

  @Field(oneOf(GRAINS), {
    description: 'Length of a period, in the time zone of the tenant; `month` by default.',
    example: 'month',
    optional: true,
  })
  grain?: Grain;

  @Field(oneOf(COMPARISONS), {
    description:
      'Also return the value of another period for each: `previous`, the one before; `year`, the same one a year ago (for days and weeks, 52 weeks ago).',
    example: 'previous',
    optional: true,
  })
  compareTo?: Comparison;
}

export class MetricValue {
  @Field(civilDate(), { description: 'First day of the period.', example: '2026-11-01' })
  from!: string;

  @Field(civilDate(), { description: 'Last day of the period.', example: '2026-11-30' })
  to!: string;

  @Field(figure(), { description: 'Value; null if it is not known.', nullable: true, example: 31.25 })
  value!: number | null;

  @Field(count(), { description: 'Number of counted items, over all currencies.', example: 48 })
  sampleSize!: number;

  @Field(oneOf(UNKNOWN_REASONS), {
    description:
      'Why the value is not known, as in the history of a metric; `no_data` if the metric has no history for you. Unlike on scorecards, counts and sums do not need `scorecards.minSample` items.',
    nullable: true,
    example: null,
  })
  unknownBecause!: Unknown | null;

  @Field(civilDate(), {
    description: 'For `recorded`: the day in the period that the value is from, the last recorded one.',
    nullable: true,
    example: null,
  })
  recordedDay!: string | null;

  @Field(text({ max: 8_000 }), {
    description: 'For `records`: path and query of the list of the counted items.',
    nullable: true,
    example: '/api/v1/sales/deals?status=won',
  })
  drillDown!: string | null;

  @Field(figure(), {
    description: 'Value of the period to compare with; null without one.',
    nullable: true,
    example: 25,
  })
  compared!: number | null;

  @Field(figure(), {
    description: 'Change relative to `compared`, in percent; null if either is not known or `compared` is 0.',
    nullable: true,
    example: 25,
  })
  changePercent!: number | null;
}

export class MetricValues {
  @Field(currencyCode(), { description: 'Currency of amounts; null for other units.', nullable: true, example: null })
  currency!: string | null;

  @Field(listOf(nested(MetricValue), { max: MOST_PERIODS }), { description: 'Every period in order.' })
  points!: MetricValue[];
}

export class MetricResult {
  @Field(text({ max: 60 }), { description: 'Key of the metric.', example: 'win_rate' })
  metric!: string;

  @Field(oneOf(METRIC_UNITS), { description: 'Unit of the values. Amounts are in minor units.', example: 'percent' })
  unit!: MetricUnit;

  @Field(oneOf(SOURCES), {
    description:
      '`records`: measured now from the records that you may read. `recorded`: as recorded on the last recorded day of each period, for metrics of the current state.',
    example: 'records',
  })
  source!: Source;

  @Field(listOf(nested(MetricValues), { max: 200 }), {
    description: 'One series; for amounts, one for each currency that occurs, that of the tenant first.',
  })
  series!: MetricValues[];
}

export class MetricsAnswer {
  @Field(instant(), { description: 'Time of the measurement.' })
  asOf!: string;

  @Field(oneOf(GRAINS), { description: 'Length of a period.', example: 'month' })
  grain!: Grain;

  @Field(listOf(nested(MetricResult), { max: MOST_METRICS }), {
    description: 'The metrics that you may read, in the requested order.',
  })
  results!: MetricResult[];
}
