import type { Terms } from '../policies/time-off-policy.queries.js';

/** Ledger sums of one year, in half days. */
export interface Booked {
  /** Approved. */
  booked: number;
  /** Returned because an approved absence was cancelled. */
  released: number;
  /** The part of the booked half days that is in the past. */
  used: number;
}

/** A balance in half days. `available` is null without a policy that limits it. */
export interface Balance {
  carriedOver: number;
  accrued: number;
  used: number;
  planned: number;
  available: number | null;
}

const NOTHING: Booked = { booked: 0, released: 0, used: 0 };

/**
 * The half days accrued in a year until a date, at most the last day of the year. An employee who starts during the
 * year accrues from the month of the first day, rounded down to half days.
 */
export function accruedIn(terms: Terms, startDate: string | null, year: number, until: string): number {
  if (until < `${year}-01-01` || (startDate !== null && startDate > `${year}-12-31`)) return 0;
  const first = startDate !== null && startDate >= `${year}-01-01` ? monthOf(startDate) : 1;
  const last = terms.accrual === 'yearly' || until > `${year}-12-31` ? 12 : monthOf(until);
  return Math.floor((terms.halfDaysPerYear * Math.max(0, last - first + 1)) / 12);
}

/**
 * The balance of a year on a date. The remainder of a year is carried over up to the policy's limit; debt is carried
 * over in full. The first year is that of the first day or of the policy, whichever is later.
 */
export function balanceOf(
  terms: Terms | null,
  startDate: string | null,
  ledger: ReadonlyMap<number, Booked>,
  year: number,
  until: string,
): Balance {
  const { booked, released, used } = ledger.get(year) ?? NOTHING;
  const planned = booked - released - used;
  if (!terms) return { carriedOver: 0, accrued: 0, used, planned, available: null };
  let carriedOver = 0;
  const firstYear = Math.max(terms.sinceYear, startDate === null ? 0 : Number(startDate.slice(0, 4)));
  for (let each = firstYear; each < year; each++) {
    const before = ledger.get(each) ?? NOTHING;
    const left = carriedOver + accruedIn(terms, startDate, each, `${each}-12-31`) - before.booked + before.released;
    carriedOver = Math.min(left, terms.carryOverHalfDays);
  }
  const accrued = year < firstYear ? 0 : accruedIn(terms, startDate, year, until);
  return { carriedOver, accrued, used, planned, available: carriedOver + accrued - used - planned };
}

function monthOf(date: string): number {
  return Number(date.slice(5, 7));
}
