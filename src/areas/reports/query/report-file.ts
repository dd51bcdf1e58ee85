import { StreamableFile } from '@nestjs/common';
import { tableOf } from '#libs/kernel/csv.js';
import type { ReportFormat, ReportResult } from './report.dto.js';

/** A result in a format: itself, or a CSV file. */
export function inFormat<T extends ReportResult>(
  result: T,
  format: ReportFormat | undefined,
  fileName: string,
): T | StreamableFile {
  if (format !== 'csv') return result;
  return new StreamableFile(Buffer.from(csvOf(result)), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${fileName}.csv"`,
  });
}

function csvOf({ columns, rows }: ReportResult): string {
  const keys = columns.map(({ key }) => key);
  return tableOf(
    keys,
    rows.map(({ values }) => keys.map((key) => cell(values[key] ?? null))),
  );
}

function cell(value: string | number | boolean | null): string | number | null {
  return typeof value === 'boolean' ? String(value) : value;
}
