import { type Cell, cellOf, CRLF, tableOf } from '#libs/kernel/csv.js';
import { decimalText } from '#libs/kernel/money.js';
import { isAmount, type TableColumn, type TableValue, type TableWriter } from './table.js';

const BYTE_ORDER_MARK = '\ufeff';

/** How a CSV file is written. */
export interface CsvStyle {
  /** Language tag; its decimal separator is that of amounts. */
  locale: string;
  /** Begins with a byte order mark, by which spreadsheets recognize UTF-8. */
  byteOrderMark: boolean;
}

/**
 * CSV as in RFC 4180, with a header. No text of it is a formula to a spreadsheet. Amounts are in major units with the
 * decimal separator of the locale and without grouping; all other values are the same in each locale.
 */
export function csvWriter(columns: readonly TableColumn[], { locale, byteOrderMark }: CsvStyle): TableWriter {
  const separator = separatorOf(locale);
  const text = (value: TableValue): string => {
    if (!isAmount(value)) return cellOf(typeof value === 'boolean' ? String(value) : (value satisfies Cell));
    const decimal = decimalText(value.minor, value.currency).replace('.', separator);
    return separator === '.' ? decimal : `"${decimal}"`; // digits alone, so never a formula
  };
  const header = tableOf(
    columns.map(({ key }) => key),
    [],
  );
  return {
    head: (byteOrderMark ? BYTE_ORDER_MARK : '') + header,
    rows: (rows) => rows.map((values) => values.map(text).join(',') + CRLF).join(''),
    tail: '',
  };
}

function separatorOf(locale: string): string {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn', minimumFractionDigits: 1 }).formatToParts(0.5);
  return parts.find(({ type }) => type === 'decimal')!.value;
}
