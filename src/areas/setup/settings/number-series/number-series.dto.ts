import { Field, flag, integer, oneOf, text } from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { RESETS, type Resets } from '#libs/kernel/number-pattern.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { MAX_PATTERN } from '#libs/settings/number-series.model.js';

const count = () => integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const version = () => integer({ min: 1, max: 2_147_483_647 });
const pattern = () => text({ min: 1, max: MAX_PATTERN });
const PATTERN =
  'Text that contains the counter once, such as `{seq:5}` for five digits, and optionally `{YYYY}`, `{YY}` or `{MM}` of the date.';

/** Sequential numbers of records of one type. */
export class NumberSeriesView {
  @Field(text({ max: 100 }), { description: 'Key: the type and its field.', example: 'finance.invoice.number' })
  key!: string;

  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'finance.invoice' })
  object!: string;

  @Field(oneOf(['number', 'reference']), { description: 'Field that holds the number.', example: 'number' })
  field!: 'number' | 'reference';

  @Field(pattern(), { description: PATTERN, example: 'INV-{YYYY}-{seq:5}' })
  pattern!: string;

  @Field(oneOf(RESETS), { description: 'When the counter restarts at 1.', example: 'yearly' })
  resets!: Resets;

  @Field(oneOf(['tenant']), { description: 'Scope in which numbers are unique.', example: 'tenant' })
  scope!: 'tenant';

  @Field(flag(), {
    description: 'Whether numbers have no gaps. References can have gaps.',
    example: true,
  })
  gapless!: boolean;

  @Field(flag(), { description: 'Whether the series can be changed. Record references cannot.', example: true })
  changeable!: boolean;

  @Field(count(), { description: 'Next value of the counter, for today’s period if it restarts.', example: 42 })
  next!: number;

  @Field(text({ max: 60 }), { description: 'The next number, for a document dated today.', example: 'INV-2026-00042' })
  preview!: string;

  @Field(version(), { description: 'Version of the settings, which contain the series; also the ETag.', example: 3 })
  version!: number;
}

export const NumberSeriesPage = pageOf(NumberSeriesView);

/** Changes to a series. */
export class UpdateNumberSeries {
  @Field(version(), {
    description: 'Expected version of the settings; 409 if it differs.',
    optional: true,
  })
  version?: number;

  @Field(pattern(), { description: PATTERN, example: 'RE-{YYYY}-{seq:4}', optional: true })
  pattern?: string;

  @Field(oneOf(RESETS), {
    description: 'When the counter restarts at 1. The pattern must then contain the year, or the year and month.',
    example: 'yearly',
    optional: true,
  })
  resets?: Resets;

  @Field(integer({ min: 1, max: 999_999_999 }), {
    description: 'Counter value of the first document. It is fixed once a document is numbered.',
    example: 1000,
    optional: true,
  })
  next?: number;
}

export const SERIES_PARAMS = {
  id: { kind: keyInPath, description: 'Key of the series, such as `finance.invoice.number`.' },
};

export const SERIES_EXAMPLE: NumberSeriesView = {
  key: 'finance.invoice.number',
  object: 'finance.invoice',
  field: 'number',
  pattern: 'INV-{YYYY}-{seq:5}',
  resets: 'yearly',
  scope: 'tenant',
  gapless: true,
  changeable: true,
  next: 42,
  preview: 'INV-2026-00042',
  version: 3,
};
