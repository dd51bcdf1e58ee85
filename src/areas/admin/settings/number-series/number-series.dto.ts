import { Field, flag, integer, oneOf, text } from '#libs/http/field.js';
import { keyInPath } from '#libs/http/key-in-path.js';
import { RESETS, type Resets } from '#libs/kernel/number-pattern.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { MAX_PATTERN } from '#libs/settings/number-series.model.js';

const count = () => integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const version = () => integer({ min: 1, max: 2_147_483_647 });
const pattern = () => text({ min: 1, max: MAX_PATTERN });
const PATTERN = 'Text with `{YYYY}`, `{YY}`, `{MM}` of the date and once the count, such as `{seq:5}` for five digits.';

/** Numbers that records of a type get one after the other. */
export class NumberSeriesView {
  @Field(text({ max: 100 }), { description: 'Key: the type and its field.', example: 'finance.invoice.number' })
  key!: string;

  @Field(text({ max: 60 }), { description: 'Type of the records.', example: 'finance.invoice' })
  object!: string;

  @Field(oneOf(['number', 'reference']), { description: 'Field of theirs.', example: 'number' })
  field!: 'number' | 'reference';

  @Field(pattern(), { description: PATTERN, example: 'INV-{YYYY}-{seq:5}' })
  pattern!: string;

  @Field(oneOf(RESETS), { description: 'When the count restarts at 1.', example: 'yearly' })
  resets!: Resets;

  @Field(oneOf(['tenant']), { description: 'Where a number is given once.', example: 'tenant' })
  scope!: 'tenant';

  @Field(flag(), {
    description: 'Whether no number is left out. References may skip some.',
    example: true,
  })
  gapless!: boolean;

  @Field(flag(), { description: 'Whether it can be changed. References of records stay as they are.', example: true })
  changeable!: boolean;

  @Field(count(), { description: 'Count of the next one, of today where it restarts.', example: 42 })
  next!: number;

  @Field(text({ max: 60 }), { description: 'The next number, for a document of today.', example: 'INV-2026-00042' })
  preview!: string;

  @Field(version(), { description: 'Version of the settings, which hold the series; also the ETag.', example: 3 })
  version!: number;
}

export const NumberSeriesPage = pageOf(NumberSeriesView);

/** What may change of a series. */
export class UpdateNumberSeries {
  @Field(version(), {
    description: 'Change it only if this is the version of the settings; otherwise 409.',
    optional: true,
  })
  version?: number;

  @Field(pattern(), { description: PATTERN, example: 'RE-{YYYY}-{seq:4}', optional: true })
  pattern?: string;

  @Field(oneOf(RESETS), {
    description: 'When the count restarts at 1; the pattern then has to contain the year, or year and month.',
    example: 'yearly',
    optional: true,
  })
  resets?: Resets;

  @Field(integer({ min: 1, max: 999_999_999 }), {
    description: 'Count of the very first document, as long as there is none.',
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
