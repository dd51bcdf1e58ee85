import { flag, oneOf } from '#libs/http/field.js';
import { storedFilter, typeKey } from '#libs/resource/lists/stored-filter.js';
import { Attribute } from '#libs/resource/types/attribute.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { locale } from '#libs/settings/locale-fields.js';
import { EXPORT_FORMATS, type ExportFormat } from '../table/export-writer.js';

/** Maximum number of records of an export. */
export const MAX_ROWS = 1_000_000;
/** Maximum number of records that are sent in the response. */
export const MAX_INLINE_ROWS = 5_000;

/** What exports and their schedules have in common. */
export abstract class ExportRow extends VersionedRow {
  @Attribute(typeKey(), 'Type of the records. Requires its read permission.', { example: 'sales.deal', once: true })
  type!: string;

  @Attribute(
    storedFilter,
    'Parameters of its list as texts: filters, `sort`, `q`, `fields`, and `include` for names of what ids point to.',
    { example: { status: 'won', sort: '-createdAt', fields: 'reference,name,valueMinor' }, optional: true },
  )
  query!: Record<string, string>;

  @Attribute(
    oneOf(EXPORT_FORMATS),
    '`csv` and `xlsx` have a column for each field; `ndjson` a record of the list in each line.',
    {
      example: 'csv',
    },
  )
  format!: ExportFormat;

  @Attribute(
    locale(),
    'Language tag; the tenant’s by default. Decides about the decimal separator of amounts in `csv`; everything else is the same in each locale.',
    { example: 'en', optional: true },
  )
  locale!: string;

  @Attribute(
    flag(),
    'Whether `csv` begins with a byte order mark, by which spreadsheets recognize UTF-8; defaults to false.',
    {
      example: false,
      optional: true,
    },
  )
  byteOrderMark!: boolean;
}
