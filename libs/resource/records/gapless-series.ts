import { Injectable } from '@nestjs/common';
import { currentFacts } from '#libs/database/current-facts.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { canCollide, type Numbering, numberOf, type Resets } from '#libs/kernel/number-pattern.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** The numbering of one kind of document. */
export interface DocumentSeries extends Numbering {
  /** Name of the series, e.g. `finance.invoice`. */
  series: string;
  /** Counter value of the first document. */
  startAt: number;
}

/** A number for the document of the open transaction. */
export interface TakenNumber {
  number: string;
  /** Latest date of all documents that the series has numbered; null for the first. */
  lastDate: string | null;
}

interface Row {
  period: string;
  next: number;
  last_date: string | null;
  used: Numbering[];
}

// The row without a period is the series itself. Its lock serializes numbering, and it stores the latest date and all
// numberings used so far. The start value applies only to the first row of the series, with or without a period.
const OPEN = `insert into data.document_series (tenant_id, series, period, next)
  select $1, $2, p, case when p = $3 and not exists
      (select from data.document_series where tenant_id = $1 and series = $2) then $4 else 1 end
  from (select distinct unnest(array['', $3]) as p) periods
  on conflict (tenant_id, series, period) do nothing`;
const LOCK = `select period, next, last_date, used from data.document_series
  where tenant_id = $1 and series = $2 and period in ('', $3) order by period for update`;
const TAKE = `update data.document_series set
    next = next + case when period = $3 then 1 else 0 end,
    last_date = case when period = '' then greatest(last_date, $4::date) else last_date end,
    used = case when period = '' then $5::jsonb else used end
  where tenant_id = $1 and series = $2 and period in ('', $3)`;
const USED = `select used from data.document_series where tenant_id = $1 and series = $2 and period = ''`;
const FIND = `select period, next, last_date, used from data.document_series
  where tenant_id = $1 and series = $2 and period in ('', $3)`;

/**
 * Document numbers: unique, increasing by one, without gaps. A number is taken under a row lock in the transaction
 * that issues the document, and becomes free again if that transaction rolls back. Users of one series wait for each
 * other, so take the number last.
 */
@Injectable()
export class GaplessSeries {
  constructor(private readonly database: Database) {}

  /** Takes the next number of a series for a document with a date (`YYYY-MM-DD`). @throws Problem 409 `number_used`. */
  async take(transaction: Transaction, kind: DocumentSeries, date: string): Promise<TakenNumber> {
    const { series, pattern, resets, startAt } = kind;
    const tenantId = currentTenant().id;
    const period = periodOf(resets, date);
    transaction.write(statement(OPEN, [tenantId, series, period, startAt]));
    const rows = await transaction.query<Row>(statement(LOCK, [tenantId, series, period]));
    const { used, last_date: lastDate } = rows.find((row) => row.period === '')!;
    refuseUsed(kind, used);
    const isNew = !used.some((each) => each.pattern === pattern && each.resets === resets);
    if (isNew) await transaction.queryAll([numberingsOneByOne(), ...currentFacts()]);
    const after = JSON.stringify(isNew ? [...used, { pattern, resets }] : used);
    transaction.write(statement(TAKE, [tenantId, series, period, date, after]));
    const count = rows.find((row) => row.period === period)!.next;
    return { number: numberOf(pattern, date, count), lastDate };
  }

  /**
   * The counter of the next document with a date, and whether the series has numbered any document.
   * @throws Problem 409 `number_used` if the numbering could repeat a number.
   */
  async next(kind: DocumentSeries, date: string): Promise<{ next: number; isUsed: boolean }> {
    const { series, resets, startAt } = kind;
    const period = periodOf(resets, date);
    const rows = await this.database.read<Row>(statement(FIND, [currentTenant().id, series, period]));
    refuseUsed(kind, rows.find((row) => row.period === '')?.used ?? []);
    const isUsed = rows.length > 0;
    return { isUsed, next: rows.find((row) => row.period === period)?.next ?? (isUsed ? 1 : startAt) };
  }

  /** All numberings of the documents of a series, by its name. */
  async used(series: string): Promise<readonly Numbering[]> {
    const [row] = await this.database.read<Pick<Row, 'used'>>(statement(USED, [currentTenant().id, series]));
    return row?.used ?? [];
  }
}

/**
 * Locks which numberings the series of the tenant have, until the commit. A change of them and the first use of one wait
 * for each other, so that each knows of the other: no two series number alike.
 */
export function numberingsOneByOne(): Statement {
  return oneByOne('document_series');
}

/** The counter period of a date. */
function periodOf(resets: Resets, date: string): string {
  return resets === 'never' ? '' : date.slice(0, resets === 'yearly' ? 4 : 7);
}

function refuseUsed(kind: DocumentSeries, used: readonly Numbering[]): void {
  const other = used.find((each) => canCollide(each, kind));
  if (other)
    throw new Problem(
      'number_used',
      `The pattern ${kind.pattern} (reset: ${kind.resets}) could repeat numbers of the earlier pattern ${other.pattern} (reset: ${other.resets}). Change its text.`,
    );
}
