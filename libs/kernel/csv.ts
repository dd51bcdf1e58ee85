/** Content of a cell; null if it is empty. */
export type Cell = string | number | null;

/**
 * Cell starts that a spreadsheet would interpret as a formula: a sign, also a full-width one, behind blanks, controls or
 * invisible marks that it drops; a tab or a line break; and the `'` that is put before them.
 */
const FORMULA = /^(?:['\t\r\n]|[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠−﹢﹣﹦﹫])/u;
export const CRLF = '\r\n';

/** A cell as in RFC 4180. An empty cell is null; an empty string is quoted. A number is never a formula. */
export function cellOf(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text that {@link cellOf} made safe in a cell; any other text unchanged. */
export function plainTextOf(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/** A table as in RFC 4180. */
export function tableOf(names: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [names, ...rows].map((cells) => `${cells.map(cellOf).join(',')}${CRLF}`).join('');
}

/** The named members of rows as in RFC 4180, with a header also without rows. Lists are joined by `; `. */
export function csvOf(names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  return tableOf(
    names,
    rows.map((row) => names.map((name) => textOf(row[name]))),
  );
}

/** A value for a cell; null for an empty one. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(textOf).join('; ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
