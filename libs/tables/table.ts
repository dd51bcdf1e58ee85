/** What the values of a column are: it decides how a spreadsheet stores and shows them. */
export type ColumnKind = 'text' | 'number' | 'flag' | 'date' | 'instant' | 'amount';

/** A column of a table. */
export interface TableColumn {
  /** Heading; stays the same in every language. */
  key: string;
  kind: ColumnKind;
}

/** An amount of money: minor units of an ISO 4217 currency. */
export interface Amount {
  minor: number;
  currency: string;
}

/** The content of a cell; null if it is empty. Dates are `YYYY-MM-DD`, instants are in UTC. */
export type TableValue = string | number | boolean | null | Amount;

/** Writes a table piece by piece. The pieces can be written at different times, and by different processes. */
export interface TableWriter {
  head: string;
  /**
   * The text of rows that follow each other.
   * @param before how many rows come before them
   */
  rows(rows: readonly (readonly TableValue[])[], before: number): string;
  tail: string;
}

/** Whether a value is an amount. */
export function isAmount(value: TableValue): value is Amount {
  return typeof value === 'object' && value !== null;
}
