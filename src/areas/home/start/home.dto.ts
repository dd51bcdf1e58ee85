import { Field, instant, listOf, nested, text } from '#libs/http/field.js';
import { MetricCard } from '#libs/kpi/figure.dto.js';

/** Tiles of a home page. */
export const MOST_TILES = 12;

export class BlockError {
  @Field(text({ max: 60 }), { description: 'Code of the problem.', example: 'unavailable' }) code!: string;
  @Field(text({ max: 500 }), { description: 'Explanation for people.' }) detail!: string;
}

export class ScorecardBlock {
  @Field(listOf(nested(MetricCard), { max: MOST_TILES }), {
    description:
      'Key figures of this month, compared with the month before: those with a target first, then a selection. Only metrics whose items you may read; each counts the items that `drillDown` lists for you. Null if they could not be measured.',
    nullable: true,
  })
  data!: MetricCard[] | null;

  @Field(instant(), { description: 'Time of the measurement.' })
  asOf!: string;

  @Field(nested(BlockError), { description: 'Why `data` is null; otherwise null.', nullable: true })
  error!: BlockError | null;
}

export class Home {
  @Field(nested(ScorecardBlock), { description: 'Key figures.' })
  scorecards!: ScorecardBlock;
}
