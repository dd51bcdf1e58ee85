import { hash } from 'node:crypto';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Row } from '#libs/database/flights/flight.js';
import { currentTenant } from '#libs/tenancy/scope.js';

export const FRAMEWORKS = ['soc2', 'iso27001', 'gdpr'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const EVIDENCE_TYPES = ['population', 'event_log', 'configuration', 'verification'] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

export const EVIDENCE_STATUSES = ['pass', 'fail', 'not_tested'] as const;
export type EvidenceStatus = (typeof EVIDENCE_STATUSES)[number];

/** Maximum number of rows in an item. */
export const MAX_ROWS = 5_000;

/** The period of a bundle; `to` is exclusive. */
export interface Period {
  from: string;
  to: string;
}

/** What an item shows: all rows up to {@link MAX_ROWS}, each with what is wrong with it, or null. */
export interface EvidenceData {
  total: number;
  truncated: boolean;
  rows: Row[];
}

/** Declares one item of evidence: a query on live data, and a rule that judges each row. */
export interface Declaration<Raw extends object, Shown extends object> {
  /** Id of the control in this product. */
  controlId: string;
  /** What the control demands, in one sentence. */
  control: string;
  title: string;
  type: EvidenceType;
  /** Where the data comes from, in one sentence. */
  source: string;
  /** The controls of each framework that the item is evidence for. */
  frameworks: Readonly<Record<Framework, readonly string[]>>;
  /** Folder in the archive. */
  folder: string;
  /** The columns shown, as in CSV. */
  columns: readonly (keyof Shown & string)[];
  /** A select over live data. `$1` is the tenant, `$2` and `$3` are the beginning and the end of the period. */
  query: string;
  /** Columns that determine the order of all rows. */
  order: string;
  /** Makes the columns shown, if they differ from those read. */
  show?: (row: Raw) => Shown;
  /** What is wrong with a row; null if nothing is. */
  finding: (row: Shown, period: Period) => string | null;
}

/** A declaration whose rows have lost their types, so that all can be in one list. */
export interface Collector extends Omit<Declaration<Row, Row>, 'query' | 'order' | 'show' | 'finding'> {
  /** SHA-256 of the statement, hex. */
  querySha256: string;
  query(period: Period): Statement;
  /** The data of the item, from the rows of the statement. */
  dataOf(rows: readonly Row[], period: Period): EvidenceData;
}

// `asked` gives the parameters their types, also for queries that do not use all of them.
const wrapped = (query: string, order: string): string => `
  with asked as (select $1::uuid, $2::timestamptz, $3::timestamptz)
  select q.*, count(*) over () as "total" from (${query}) q order by ${order} limit ${MAX_ROWS}`;

/** Makes a collector from its declaration. */
export function collector<Raw extends object, Shown extends object = Raw>({
  query,
  order,
  show = (row) => row as unknown as Shown, // the two are one type if nothing is left out
  finding,
  ...facts
}: Declaration<Raw, Shown>): Collector {
  const text = wrapped(query, order);
  return {
    ...facts,
    querySha256: hash('sha256', text, 'hex'),
    query: ({ from, to }) => statement(text, [currentTenant().id, from, to]),
    dataOf: (rows, period) => {
      const total = Number(rows[0]?.['total'] ?? 0);
      return {
        total,
        truncated: total > rows.length,
        rows: rows.map(({ total: _, ...row }) => {
          const shown = show(row as Raw);
          return { ...shown, finding: finding(shown, period) };
        }),
      };
    },
  };
}

/**
 * `fail` if something is wrong with a row. Without rows there was nothing to test; a list that was cut is never a
 * `pass`, because the rest has not been judged.
 */
export function statusOf({ rows, truncated }: EvidenceData): EvidenceStatus {
  if (rows.some(({ finding }) => finding !== null)) return 'fail';
  return rows.length === 0 || truncated ? 'not_tested' : 'pass';
}
