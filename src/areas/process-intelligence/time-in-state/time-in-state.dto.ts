import { civilDate, Field, integer, listOf, nested, text } from '#libs/http/field.js';
import { ONE_PAGE, PageInfo } from '#libs/resource/types/record.dto.js';

/** Maximum number of days in one response. */
export const MOST_DAYS = 366;
const SECONDS = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const TYPE = text({ min: 3, max: 60, pattern: /^[a-z_]+\.[a-z_]+$/, form: 'the type of a record, such as sales.deal' });

export class TimeInStateQuery {
  @Field(TYPE, {
    description: 'Only records of this type; defaults to all types that you may read.',
    example: 'sales.deal',
    optional: true,
  })
  object?: string;

  @Field(civilDate(), {
    description: `First day (UTC). Defaults to the 30 days that end with \`to\`; at most ${MOST_DAYS} days.`,
    example: '2026-11-01',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), { description: 'Last day (UTC); defaults to today.', example: '2026-11-21', optional: true })
  to?: string;
}

export class StateTime {
  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'sales.deal' })
  object!: string;

  @Field(text({ max: 60 }), { description: 'State that the records were in.', example: 'open' })
  state!: string;

  @Field(text({ max: 60 }), {
    description: 'Stage that they were in, for types with stages. Each stage is measured separately.',
    example: 'proposal',
    nullable: true,
  })
  stage!: string | null;

  @Field(SECONDS, { description: 'Number of stays that ended within the span.', example: 42 })
  visits!: number;

  @Field(SECONDS, { description: 'Median length of the stays, seconds.', example: 172_800 })
  p50Seconds!: number;

  @Field(SECONDS, { description: '90th percentile of the length of the stays, seconds.', example: 950_400 })
  p90Seconds!: number;

  @Field(SECONDS, { description: 'Mean length of the stays, seconds.', example: 311_040 })
  meanSeconds!: number;
}

export class TimeInState {
  @Field(civilDate(), { description: 'First day (UTC).', example: '2026-10-23' })
  from!: string;

  @Field(civilDate(), { description: 'Last day (UTC).', example: '2026-11-21' })
  to!: string;

  @Field(listOf(nested(StateTime), { max: 10_000 }), { description: 'Measurements by type, state and stage.' })
  data!: StateTime[];

  @Field(nested(PageInfo), ONE_PAGE)
  page!: PageInfo;
}
