import { exponentOf, toMajor } from '#libs/kernel/money.js';
import { shortened } from '#libs/kernel/cut.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { isAmount, type TableColumn, type TableValue, type TableWriter } from './table.js';
import { DECIMALS, STYLES } from './workbook.js';

/** Rows of a worksheet, with its header. */
export const MAX_SHEET_ROWS = 1_048_576;
/** Characters of a cell; spreadsheets repair files with more by deleting it. */
const MAX_TEXT = 32_767;
/** Spreadsheets have 15 significant digits. */
const MAX_EXACT = 999_999_999_999_999;
/** Days from the first day of spreadsheets to 1970. Before March 1900 they count wrongly. */
const DAYS_BEFORE_1970 = 25_569;
const FIRST_DAY = 61;
const LAST_DAY = 2_958_465;

/**
 * The rows of a worksheet in SpreadsheetML (ECMA-376), with a bold header that stays in place. Texts are texts, whatever
 * they begin with; times are in UTC; what a spreadsheet could not store exactly, such as large numbers, is text.
 */
export function sheetWriter(columns: readonly TableColumn[]): TableWriter {
  const letters = columns.map((_, index) => lettersOf(index));
  const rowOf = (values: readonly TableValue[], number: number, style?: number): string => {
    let cells = '';
    for (const [index, value] of values.entries())
      if (value !== null) cells += cellOf(value, columns[index]!, `${letters[index]}${number}`, style);
    return `<row r="${number}">${cells}</row>`;
  };
  const header = rowOf(
    columns.map(({ key }) => key),
    1,
    STYLES.header,
  );
  return {
    head:
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>' +
      '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews>' +
      '<sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView>' +
      `</sheetViews><sheetFormatPr defaultColWidth="18" defaultRowHeight="15"/><sheetData>${header}`,
    rows: (rows, before) => {
      if (before + rows.length >= MAX_SHEET_ROWS) throw new Error('A worksheet has no room for more rows.');
      return rows.map((values, index) => rowOf(values, before + index + 2)).join('');
    },
    tail: '</sheetData></worksheet>',
  };
}

function cellOf(value: NonNullable<TableValue>, { kind }: TableColumn, place: string, style?: number): string {
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${Number(value)}</v></c>`;
  if (typeof value === 'number')
    return Math.abs(value) > MAX_EXACT ? textCell(String(value), place) : numberCell(value, place);
  if (isAmount(value)) {
    const { minor, currency } = value;
    const amount = toMajor(minor, currency);
    const format = STYLES.amounts[DECIMALS.indexOf(exponentOf(currency))]!;
    return Math.abs(minor) > MAX_EXACT ? textCell(String(amount), place) : numberCell(amount, place, format);
  }
  const day = style === undefined && (kind === 'date' || kind === 'instant') ? dayOf(value) : null;
  return day === null ? textCell(value, place, style) : numberCell(day, place, STYLES[kind as 'date' | 'instant']); // tested before
}

const styled = (style?: number): string => (style === undefined ? '' : ` s="${style}"`);

function numberCell(value: number, place: string, style?: number): string {
  return `<c r="${place}"${styled(style)}><v>${value}</v></c>`;
}

function textCell(value: string, place: string, style?: number): string {
  const text = value.length > MAX_TEXT ? shortened(value, MAX_TEXT) : value;
  return `<c r="${place}"${styled(style)} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** A date or an instant as spreadsheets count days; null for one that they cannot count. */
function dayOf(text: string): number | null {
  const day = Date.parse(text) / DAY_MS + DAYS_BEFORE_1970;
  return day >= FIRST_DAY && day <= LAST_DAY ? day : null;
}

const UNSAFE = /[&<>\r]|[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|_(?=x[0-9a-fA-F]{4}_)/gu;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;', _: '_x005F_' };

/** A text for XML 1.0, which cannot contain most control characters, and in which spreadsheets read `_x0041_` as `A`. */
export function escaped(text: string): string {
  return text.replace(UNSAFE, (character) => ESCAPES[character] ?? '');
}

/** `A` to `Z`, then `AA`. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}
