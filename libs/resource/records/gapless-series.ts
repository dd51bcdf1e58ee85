import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** How documents of a kind are numbered. */
export interface DocumentSeries {
  /** Name of the series, e.g. `finance.invoice`. */
  series: string;
  /** May contain `{YYYY}`, `{YY}`, `{MM}` of the document's date and `{seq:5}`, the count padded to five digits. */
  pattern: string;
  /** When the count restarts at 1. The pattern must contain that period, or numbers would repeat. */
  resets: 'never' | 'yearly' | 'monthly';
}

/** A number for the document of the open transaction. */
export interface TakenNumber {
  number: string;
  /** Newest date of all documents that the series numbered before; null for the first. */
  lastDate: string | null;
}

// The row without a period is the series itself: its lock serializes numbering, and it holds the newest date.
const OPEN = `insert into data.document_series (tenant_id, series, period, next) values ($1, $2, '', 1), ($1, $2, $3, 1)
  on conflict (tenant_id, series, period) do nothing`;
const OPEN_ENDLESS = `insert into data.document_series (tenant_id, series, period, next) values ($1, $2, '', 1)
  on conflict (tenant_id, series, period) do nothing`;
const LOCK = `select period, next, last_date from data.document_series
  where tenant_id = $1 and series = $2 and period in ('', $3) order by period for update`;
const TAKE = `update data.document_series set
    next = next + case when period = $3 then 1 else 0 end,
    last_date = case when period = '' then greatest(last_date, $4::date) else last_date end
  where tenant_id = $1 and series = $2 and period in ('', $3)`;

/**
 * Numbers of documents: unique, rising by one, without gaps. A number is taken under a row lock in the transaction that
 * issues its document, and returned if that rolls back; users of one series wait for each other, so take it last.
 */
@Injectable()
export class GaplessSeries {
  /** The next number of a series for a document of a date (`YYYY-MM-DD`). */
  async take(
    transaction: Transaction,
    { series, pattern, resets }: DocumentSeries,
    date: string,
  ): Promise<TakenNumber> {
    const tenantId = currentTenant().id;
    const period = resets === 'never' ? '' : date.slice(0, resets === 'yearly' ? 4 : 7);
    const open =
      period === '' ? statement(OPEN_ENDLESS, [tenantId, series]) : statement(OPEN, [tenantId, series, period]);
    transaction.write(open);
    const rows = await transaction.query<{ period: string; next: number; last_date: string | null }>(
      statement(LOCK, [tenantId, series, period]),
    );
    const count = rows.find((row) => row.period === period)!.next;
    transaction.write(statement(TAKE, [tenantId, series, period, date]));
    return { number: numberOf(pattern, date, count), lastDate: rows.find((row) => row.period === '')!.last_date };
  }
}

/** The number for a date and a count, according to the pattern. */
export function numberOf(pattern: string, date: string, count: number): string {
  const [year = '', month = ''] = date.split('-');
  return pattern
    .replace('{YYYY}', year)
    .replace('{YY}', year.slice(2))
    .replace('{MM}', month)
    .replace(/\{seq:(\d)\}/, (_, digits: string) => String(count).padStart(Number(digits), '0'));
}
