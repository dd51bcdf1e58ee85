import { Field, integer, type Kind, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { DIRECTIONS, METRIC_GROUPS, METRIC_UNITS, type MetricGroup, type MetricUnit } from './metric.js';

export const RATINGS = ['green', 'amber', 'red', 'no_data'] as const;
export type Rating = (typeof RATINGS)[number];

/** Amounts of one currency. */
export class FigureAmount {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: -MAX_MINOR, max: MAX_MINOR }), {
    description: 'Amount in minor units; null beyond the range of exact integers.',
    example: 2500000,
    nullable: true,
  })
  minor!: number | null;
}

/** A number, or the amounts of a metric with the unit `money`. */
export type Figure = number | FigureAmount[] | null;

/** A {@link Figure} in responses. */
export const numberOrAmounts = (): Kind => ({
  schema: { type: ['number', 'array'], items: { $ref: `#/components/schemas/${FigureAmount.name}` } },
  model: FigureAmount,
  check: () => [],
  parse: () => undefined,
});

/** A number of either sign. */
export const figure = () => number({ min: -MAX_MINOR, max: MAX_MINOR });

/** A metric of the catalogue in one period, against its target. */
export class MetricCard {
  @Field(oneOf(METRIC_GROUPS), { description: 'Group of the metric.', example: 'sales' })
  group!: MetricGroup;

  @Field(text({ max: 60 }), { description: 'Key of the metric.', example: 'win_rate' })
  key!: string;

  @Field(text({ max: 100 }), { description: 'Name of the metric.', example: 'Win rate' })
  name!: string;

  @Field(numberOrAmounts(), {
    description:
      'Value in the current period, with at most three decimals; a list of amounts by currency for the unit `money`. Null if fewer than `scorecards.minSample` items were counted.',
    example: 31.25,
    nullable: true,
  })
  value!: Figure;

  @Field(oneOf(METRIC_UNITS), { description: 'Unit of the value. Percentages are from 0 to 100.', example: 'percent' })
  unit!: MetricUnit;

  @Field(figure(), {
    description:
      'Target from the settings, or else a usual one for figures that do not depend on the size of the tenant; for amounts in minor units of the base currency.',
    example: 30,
    nullable: true,
  })
  target!: number | null;

  @Field(numberOrAmounts(), {
    description: 'Value in the period to compare with; always null for metrics of the current state.',
    example: 28.5,
    nullable: true,
  })
  previous!: Figure;

  @Field(figure(), {
    description:
      'Change of the value relative to `previous`, in percent. For amounts, that of the base currency. Null if either is unknown, or if the previous value is 0.',
    example: 9.649,
    nullable: true,
  })
  changePercent!: number | null;

  @Field(oneOf(DIRECTIONS), { description: 'Whether higher or lower values are better.', example: 'higher' })
  direction!: (typeof DIRECTIONS)[number];

  @Field(oneOf(RATINGS), {
    description:
      '`green` if the target is met, `amber` if it is missed by at most 10 percent, else `red`; `no_data` without a value or target.',
    example: 'green',
  })
  rating!: Rating;

  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Number of counted items.', example: 48 })
  sampleSize!: number;

  @Field(text({ max: 500 }), {
    description: 'How the value is calculated.',
    example: 'Deals won ÷ deals won or lost in the period.',
  })
  formula!: string;

  @Field(text({ max: 8_000 }), {
    description: 'Path and query of the list of the counted items.',
    example:
      '/api/v1/sales/deals?status%5Bin%5D=won%2Clost&closedAt%5Bgte%5D=2026-11-01T00%3A00%3A00.000Z&closedAt%5Blt%5D=2026-12-01T00%3A00%3A00.000Z&includeArchived=true',
  })
  drillDown!: string;
}
