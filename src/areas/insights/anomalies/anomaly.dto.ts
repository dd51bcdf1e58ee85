import { civilDate, Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { METRIC_UNITS, type MetricUnit } from '#libs/measures/metric.js';
import { MIN_WEEKS, THRESHOLD, WEEKS } from '../statistics/anomaly.js';

/** Maximum number of days in one request. */
export const MOST_DAYS = 366;
export const MOST_ANOMALIES = 500;
const figure = () => number({ min: -MAX_MINOR, max: MAX_MINOR });

/** A value that stands out, as the API and events show it. */
export class Anomaly {
  @Field(id(), { description: 'Id.' })
  id!: string;

  @Field(civilDate(), { description: 'Day of the value, in the time zone of the tenant.', example: '2026-11-20' })
  date!: string;

  @Field(text({ max: 60 }), { description: 'Key of the metric.', example: 'new_leads' })
  metric!: string;

  @Field(text({ max: 100 }), { description: 'Name of the metric.', example: 'New leads' })
  metricName!: string;

  @Field(oneOf(METRIC_UNITS), { description: 'Unit of the value.', example: 'count' })
  unit!: MetricUnit;

  @Field(currencyCode(), {
    description: 'Currency of an amount, which is in minor units; null for other units.',
    nullable: true,
    example: null,
  })
  currency!: string | null;

  @Field(figure(), { description: 'Recorded value of the day.', example: 3 })
  value!: number;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Number of items counted on the day.', example: 3 })
  sampleSize!: number;

  @Field(figure(), {
    description: `Median of the same weekday in the ${WEEKS} weeks before.`,
    example: 21,
  })
  median!: number;

  @Field(figure(), {
    description:
      'Median absolute deviation of these values × 1.4826; if that is 0, their mean absolute deviation × 1.2533.',
    example: 2.965,
  })
  deviation!: number;

  @Field(figure(), {
    description: `(value − median) ÷ deviation. At least ${THRESHOLD} or at most −${THRESHOLD} for an anomaly.`,
    example: -6.071,
  })
  score!: number;

  @Field(integer({ min: MIN_WEEKS, max: WEEKS }), { description: 'Number of values compared with.', example: 12 })
  inputs!: number;

  @Field(oneOf(['better', 'worse']), {
    description: 'Whether the value deviates in the direction that the metric calls better.',
    example: 'worse',
  })
  effect!: 'better' | 'worse';

  @Field(instant(), { description: 'Time at which the day was recorded and tested.' })
  detectedAt!: string;
}

export const ANOMALY_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f56',
  date: '2026-11-20',
  metric: 'new_leads',
  metricName: 'New leads',
  unit: 'count',
  currency: null,
  value: 3,
  sampleSize: 3,
  median: 21,
  deviation: 2.965,
  score: -6.071,
  inputs: 12,
  effect: 'worse',
  detectedAt: '2026-11-21T00:04:11.052Z',
};

export class AnomalyQuery {
  @Field(civilDate(), {
    description: `First day; by default the 30 days that end with \`to\`. At most ${MOST_DAYS} days.`,
    example: '2026-11-01',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), { description: 'Last day; yesterday by default.', example: '2026-11-20', optional: true })
  to?: string;

  @Field(text({ min: 1, max: 60 }), { description: 'Only this metric.', example: 'new_leads', optional: true })
  metric?: string;
}

export class Anomalies {
  @Field(civilDate(), { description: 'First day.', example: '2026-10-22' })
  from!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-11-20' })
  to!: string;

  @Field(listOf(nested(Anomaly), { max: MOST_ANOMALIES }), { description: 'Newest first.' })
  anomalies!: Anomaly[];

  @Field(flag(), {
    description: `Whether there are more than ${MOST_ANOMALIES}, in which case the oldest are omitted.`,
  })
  hasMore!: boolean;
}
