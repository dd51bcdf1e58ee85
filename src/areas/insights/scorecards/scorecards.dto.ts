import { civilDate, Field, id, instant, listOf, nested, oneOf } from '#libs/http/field.js';
import { type Figure, figure, MetricCard, numberOrAmounts } from '#libs/measures/figure.dto.js';
import { METRIC_GROUPS, type MetricGroup } from '#libs/measures/metric.js';
import { COMPARISONS, type Comparison, type Period, PERIODS } from '#libs/measures/period.js';

export class ScorecardQuery {
  @Field(oneOf(METRIC_GROUPS), { description: 'Only cards of this group.', example: 'sales', optional: true })
  group?: MetricGroup;

  @Field(oneOf(PERIODS), {
    description: 'Length of a period, in the time zone of the tenant; `month` by default.',
    example: 'month',
    optional: true,
  })
  period?: Period;

  @Field(id(), {
    description: 'Only items in this workspace. Cards whose items have no workspace are omitted.',
    optional: true,
  })
  workspaceId?: string;

  @Field(oneOf(COMPARISONS), {
    description:
      'The period to compare with: the one before, which is the default, or the same one a year ago (for weeks, 52 weeks ago).',
    optional: true,
  })
  compare?: Comparison;
}

export class FigurePoint {
  @Field(civilDate(), { description: 'First day of the period.', example: '2026-10-01' })
  from!: string;

  @Field(civilDate(), { description: 'Last day of the period.', example: '2026-10-31' })
  to!: string;

  @Field(numberOrAmounts(), { description: 'Value, as in the card.', example: 28.5, nullable: true })
  value!: Figure;
}

export class Scorecard extends MetricCard {
  @Field(listOf(nested(FigurePoint), { max: 12 }), {
    description: 'The current period and those before it, oldest first; empty for metrics of the current state.',
  })
  series!: FigurePoint[];
}

export class ScorecardPeriod {
  @Field(oneOf(PERIODS), { description: 'Length of the period.', example: 'month' })
  kind!: Period;

  @Field(civilDate(), { description: 'First day.', example: '2026-11-01' })
  from!: string;

  @Field(civilDate(), { description: 'Last day.', example: '2026-11-30' })
  to!: string;
}

export class GroupScore {
  @Field(oneOf(METRIC_GROUPS), { description: 'Group.', example: 'sales' })
  group!: MetricGroup;

  @Field(figure(), {
    description: 'Mean of the rated cards: 100 for green, 50 for amber, 0 for red. Null if no card is rated.',
    example: 75,
    nullable: true,
  })
  score!: number | null;
}

export class Scorecards {
  @Field(instant(), { description: 'Time of the measurement.' })
  asOf!: string;

  @Field(nested(ScorecardPeriod), { description: 'The current period.' })
  period!: ScorecardPeriod;

  @Field(listOf(nested(Scorecard), { max: 200 }), { description: 'The cards whose items the caller may read.' })
  cards!: Scorecard[];

  @Field(listOf(nested(GroupScore), { max: METRIC_GROUPS.length }), { description: 'Score of each group with cards.' })
  overall!: GroupScore[];
}
