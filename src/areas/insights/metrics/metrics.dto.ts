import { Field, flag, oneOf, text } from '#libs/http/field.js';
import { DIRECTIONS, METRIC_GROUPS, METRIC_UNITS, type MetricGroup, type MetricUnit } from '#libs/measures/metric.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';

/** A metric of the catalogue. */
export class MetricView {
  @Field(text({ max: 60 }), { description: 'Key, as in `scorecards.targets` of the settings.', example: 'win_rate' })
  key!: string;

  @Field(oneOf(METRIC_GROUPS), { description: 'Group.', example: 'sales' })
  group!: MetricGroup;

  @Field(text({ max: 100 }), { description: 'Name.', example: 'Win rate' })
  name!: string;

  @Field(text({ max: 500 }), {
    description: 'How it is calculated.',
    example: 'Deals won ÷ deals won or lost in the period.',
  })
  formula!: string;

  @Field(oneOf(METRIC_UNITS), { description: 'Unit. Percentages are from 0 to 100.', example: 'percent' })
  unit!: MetricUnit;

  @Field(oneOf(DIRECTIONS), { description: 'Whether higher or lower values are better.', example: 'higher' })
  direction!: (typeof DIRECTIONS)[number];

  @Field(flag(), {
    description:
      'Whether you see its history, forecast and anomalies: if you may see all items that it counts. Without it, `POST /api/insights/query` answers `no_data` unless the records themselves tell.',
    example: true,
  })
  hasHistory!: boolean;

  @Field(text({ max: 60 }), { description: 'Type of the counted items.', example: 'sales.deal' })
  counts!: string;
}

export const MetricPage = pageOf(MetricView);

export class MetricQuery extends PageQuery {}
asksForNames(MetricQuery, 'by group');
