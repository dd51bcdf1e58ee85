import type { Row } from '#libs/database/flight.js';
import { cellOf, CRLF } from '../audit-logs/audit-export.formats.js';

/** Rows as RFC 4180, with a header also without any. Lists are joined by `; `. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const names = [...columns, 'finding'];
  const lines = [names, ...rows.map((row) => names.map((name) => textOf(row[name])))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}${CRLF}`).join('');
}

/** A value for a cell; null for an empty one. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
