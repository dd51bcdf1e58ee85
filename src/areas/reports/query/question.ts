import { Field, type Kind, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';

export const BUCKETS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Bucket = (typeof BUCKETS)[number];

export const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'median', 'count_distinct'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** Maximum number of rows of a result. */
export const MAX_ROWS = 10_000;
export const USUAL_ROWS = 1_000;
const MAX_DIMENSIONS = 4;
const MAX_MEASURES = 10;

const field = (): Kind => text({ min: 1, max: 80 });

/** A field to group by. */
export class ReportDimension {
  @Field(field(), {
    description: 'Field of the records that the list can be filtered by.',
    example: 'closedAt',
  })
  field!: string;

  @Field(oneOf(BUCKETS), {
    description:
      'Groups a date or time by period, in the tenant’s time zone and with its first day of the week. Required for times.',
    example: 'month',
    optional: true,
    nullable: true,
  })
  bucket?: Bucket | null;
}

/** A figure of each group. */
export class ReportMeasure {
  @Field(oneOf(AGGREGATES), {
    description:
      '`count` counts the records. `sum`, `avg` and `median` require a number, `min` and `max` a number, date or time.',
    example: 'sum',
  })
  aggregate!: Aggregate;

  @Field(field(), {
    description: 'Field of the records; not for `count`.',
    example: 'valueMinor',
    optional: true,
    nullable: true,
  })
  field?: string | null;
}

/** What a report asks. */
export interface Question {
  recordType: string;
  filter: Record<string, string>;
  dimensions: ReportDimension[];
  measures: ReportMeasure[];
  sort: string[];
  maxRows: number;
}

/** The fields of a question, with their descriptions. */
export const QUESTION = {
  filter:
    'Query parameters of the list of this type, except `sort`, `limit`, `cursor` and `includeDeleted`: only these records.',
  dimensions:
    'Fields to group by. If a measure is an amount, `currency` is added, so amounts of different currencies are never combined.',
  measures: 'Figures of each group.',
  sort: 'Keys of columns, with `-` for descending, such as `-sum_valueMinor`. By default the dimensions.',
  maxRows: `Maximum number of rows, at most ${MAX_ROWS}; ${USUAL_ROWS} by default.`,
};

export const dimensionList = (): Kind => listOf(nested(ReportDimension), { max: MAX_DIMENSIONS });
export const measureList = (): Kind => listOf(nested(ReportMeasure), { min: 1, max: MAX_MEASURES });
export const sortList = (): Kind => listOf(text({ min: 1, max: 120 }), { max: 4, unique: true });
export const rowLimit = (): Kind => integer({ min: 1, max: MAX_ROWS });

/** A question with defaults for what it omits. */
export function completed(asked: Pick<Question, 'recordType' | 'measures'> & Partial<Question>): Question {
  const { recordType, measures, filter = {}, dimensions = [], sort = [], maxRows = USUAL_ROWS } = asked;
  return { recordType, filter, dimensions, measures, sort, maxRows };
}
