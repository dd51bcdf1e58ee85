import { anyObject, Field, flag, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { storedFilter, typeKey } from '#libs/resource/lists/stored-filter.js';
import {
  type Aggregate,
  AGGREGATES,
  type Bucket,
  BUCKETS,
  dimensionList,
  MAX_ROWS,
  measureList,
  QUESTION,
  type ReportDimension,
  type ReportMeasure,
  rowLimit,
  sortList,
} from './question.js';

/** A question that is not stored. */
export class ReportQuery {
  @Field(typeKey(), { description: 'Type of the records. Requires its read permission.', example: 'sales.deal' })
  recordType!: string;

  @Field(storedFilter, { description: QUESTION.filter, example: { status: 'won' }, optional: true })
  filter?: Record<string, string>;

  @Field(dimensionList(), {
    description: QUESTION.dimensions,
    example: [{ field: 'closedAt', bucket: 'month' }],
    optional: true,
  })
  dimensions?: ReportDimension[];

  @Field(measureList(), {
    description: QUESTION.measures,
    example: [{ aggregate: 'count' }, { aggregate: 'sum', field: 'valueMinor' }],
  })
  measures!: ReportMeasure[];

  @Field(sortList(), { description: QUESTION.sort, example: ['-sum_valueMinor'], optional: true })
  sort?: string[];

  @Field(rowLimit(), { description: QUESTION.maxRows, example: 100, optional: true })
  maxRows?: number;
}

export const COLUMN_ROLES = ['dimension', 'measure'] as const;
export const UNITS = ['minor', 'micros'] as const;

class ReportColumn {
  @Field(text({ max: 120 }), { description: 'Key of the column.', example: 'sum_valueMinor' })
  key!: string;

  @Field(oneOf(COLUMN_ROLES), { description: 'Whether it groups the records or is a figure.', example: 'measure' })
  role!: (typeof COLUMN_ROLES)[number];

  @Field(text({ max: 80 }), { description: 'Field; null for `count`.', example: 'valueMinor', nullable: true })
  field!: string | null;

  @Field(oneOf(BUCKETS), { description: 'Period of a dimension.', example: null, nullable: true })
  bucket!: Bucket | null;

  @Field(oneOf(AGGREGATES), { description: 'Aggregate of a measure.', example: 'sum', nullable: true })
  aggregate!: Aggregate | null;

  @Field(oneOf(UNITS), {
    description: 'For amounts: minor units or millionths of the currency in the column `currency`.',
    example: 'minor',
    nullable: true,
  })
  unit!: (typeof UNITS)[number] | null;
}

class ReportRow {
  @Field(anyObject(), {
    description:
      'Values by key of their column. A period is its first date. A sum that a JSON number cannot represent exactly is null.',
    example: { closedAt_month: '2026-11-01', currency: 'USD', count: 12, sum_valueMinor: 30000000 },
  })
  values!: Record<string, string | number | boolean | null>;

  @Field(text({ max: 150_000 }), {
    description: 'Path for a GET of exactly the records of the group.',
    example:
      '/api/v1/sales/deals?closedAt%5Bgte%5D=2026-11-01T00%3A00%3A00.000Z&closedAt%5Blt%5D=2026-12-01T00%3A00%3A00.000Z&currency=USD&status=won',
  })
  drillDown!: string;
}

/** The rows of a report. */
export class ReportResult {
  @Field(typeKey(), { description: 'Type of the records.', example: 'sales.deal' })
  recordType!: string;

  @Field(listOf(nested(ReportColumn), { max: 20 }), { description: 'Columns, dimensions first.' })
  columns!: ReportColumn[];

  @Field(listOf(nested(ReportRow), { max: MAX_ROWS }), { description: 'One row for each group.' })
  rows!: ReportRow[];

  @Field(integer({ min: 0, max: MAX_ROWS }), { description: 'Number of rows.', example: 1 })
  rowCount!: number;

  @Field(flag(), { description: 'Whether there are more groups than `maxRows`.', example: false })
  truncated!: boolean;

  @Field(storedFilter, { description: 'The filter.', example: { status: 'won' } })
  filtersApplied!: Record<string, string>;

  @Field(text({ max: 60 }), { description: 'Time zone of the periods.', example: 'Europe/Berlin' })
  timeZone!: string;

  @Field(instant(), { description: 'Time at which the figures were calculated.', example: '2026-11-21T09:15:02.114Z' })
  asOf!: string;
}

export const FORMATS = ['json', 'csv'] as const;
export type ReportFormat = (typeof FORMATS)[number];

export class ReportFormatQuery {
  @Field(oneOf(FORMATS), {
    description: 'Format; `json` by default. `csv` has the keys of the columns in its first line.',
    optional: true,
  })
  format?: ReportFormat;
}
