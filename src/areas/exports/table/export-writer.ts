import type { Readable } from 'node:stream';
import { serializerOf } from '#libs/http/serializers.js';
import { serializerSchemaOf } from '#libs/http/schema.js';
import { sparse } from '#libs/http/sparse.js';
import { pick } from '#libs/resource/lists/list-shape.js';
import type { RecordPage } from '#libs/resource/lists/record-page.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import type { RecordView } from '#libs/resource/types/record.dto.js';
import type { Input } from '#libs/resource/types/decisions.js';
import { csvWriter } from '#libs/tables/csv-writer.js';
import { sheetWriter } from '#libs/tables/sheet-writer.js';
import type { TableWriter } from '#libs/tables/table.js';
import { workbookOf } from '#libs/tables/workbook.js';
import { type ExportPlan, labelsFor, valuesOf } from './export-columns.js';

export const EXPORT_FORMATS = ['csv', 'ndjson', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** How a file is written. */
export interface ExportStyle {
  format: ExportFormat;
  locale: string;
  byteOrderMark: boolean;
}

export type ExportedPage = Required<RecordPage<RecordView>>;

/** Writes an export piece by piece. */
export interface ExportWriter {
  head: string;
  /** The text of the records of a page, with the number of records before them. */
  text(page: ExportedPage, before: number): string;
  tail: string;
  /** The file whose text this is. */
  fileOf(text: Readable): Readable;
}

export function exportWriter(definition: ResourceDefinition, plan: ExportPlan, style: ExportStyle): ExportWriter {
  const { format } = style;
  if (format === 'csv') return inColumns(plan, csvWriter(plan.columns, style), (text) => text);
  if (format === 'xlsx') return inColumns(plan, sheetWriter(plan.columns), workbookOf);
  return inLines(definition, plan);
}

function inColumns({ columns }: ExportPlan, writer: TableWriter, fileOf: ExportWriter['fileOf']): ExportWriter {
  return {
    ...{ head: writer.head, tail: writer.tail, fileOf },
    text: ({ data, included }, before) => {
      const rows = data.map((record) => valuesOf(columns, record as unknown as Input, included)); // a view is its fields
      return writer.rows(rows, before);
    },
  };
}

/** A record in each line, exactly as the list shows it, with the names that belong to it. */
function inLines({ view }: ResourceDefinition, { columns, fields }: ExportPlan): ExportWriter {
  const serialize = serializerOf(serializerSchemaOf(view));
  const includes = columns.some(({ label }) => label !== undefined);
  return {
    ...{ head: '', tail: '', fileOf: (text) => text },
    text: ({ data, included }) => {
      let text = '';
      for (const record of data) {
        const json = serialize(fields ? sparse(pick(record, fields)) : record);
        const labels = includes && labelsFor(columns, record as unknown as Input, included); // a view is its fields
        text += labels ? `${json.slice(0, -1)},"included":${JSON.stringify(labels)}}\n` : `${json}\n`;
      }
      return text;
    },
  };
}
