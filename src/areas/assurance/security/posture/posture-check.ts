import type { Statement } from '#libs/database/statement.js';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How much a check counts, by its severity. */
export const WEIGHTS: Readonly<Record<Severity, number>> = { low: 1, medium: 3, high: 6, critical: 10 };

export const CATEGORIES = ['members', 'sign_in', 'credentials', 'delivery', 'data', 'ai'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Results of a check, before exceptions. */
export const RESULTS = ['pass', 'warning', 'fail', 'unknown', 'not_applicable'] as const;

/** The result of a check on one snapshot of a tenant. */
export interface Verdict {
  status: (typeof RESULTS)[number];
  /** From 0 to 1. Between them only for a warning. */
  credit: number;
  /** What was found, for people. */
  measured: string;
}

/** A number that the tenant can adjust. */
export interface Threshold {
  default: number;
  min: number;
  max: number;
}

/** What a check's query can use. */
export interface Asked<L extends string = string> {
  tenantId: string;
  now: string;
  limits: Readonly<Record<L, number>>;
  /** The instant so many days ago; a negative number means in the future. */
  daysAgo: (days: number) => string;
}

/** One security check. */
export interface PostureCheck {
  key: string;
  category: Category;
  /** What should be true. */
  title: string;
  severity: Severity;
  /** The risk if it is not true. */
  why: string;
  thresholds: Readonly<Record<string, Threshold>>;
  /** What passes, with the tenant's thresholds. */
  expected(limits: Readonly<Record<string, number>>): string;
  /** How to fix it, and the path of the API for that. */
  remediation: { text: string; path: string };
  /** A query that returns one row, under row-level security. */
  read(asked: Asked): Statement;
  /** Judges that row. Pure. */
  judge(row: object, asked: Asked): Verdict;
}

/** A check in which the types of its row and its thresholds agree. */
interface Declaration<R extends object, L extends string> extends Omit<
  PostureCheck,
  'thresholds' | 'expected' | 'read' | 'judge'
> {
  thresholds?: Record<L, Threshold>;
  expected(limits: Readonly<Record<L, number>>): string;
  read(asked: Asked<L>): Statement;
  judge(row: R, asked: Asked<L>): Verdict;
}

/** Declares a check. `R` is the row that its query returns. */
export const checkOf =
  <R extends object>() =>
  <L extends string = never>(declaration: Declaration<R, L>): PostureCheck => ({ thresholds: {}, ...declaration });

export const pass = (measured: string): Verdict => ({ status: 'pass', credit: 1, measured });
export const fail = (measured: string): Verdict => ({ status: 'fail', credit: 0, measured });
export const warning = (credit: number, measured: string): Verdict => ({ status: 'warning', credit, measured });
export const notApplicable = (measured: string): Verdict => ({ status: 'not_applicable', credit: 0, measured });
export const unknown = (measured: string): Verdict => ({ status: 'unknown', credit: 0, measured });

/** Passes if nothing was found. */
export function noneOf(found: number, what: string): Verdict {
  return found === 0 ? pass(`0 ${what}`) : fail(`${found} ${what}`);
}

/** Up to this share may be wrong for partial credit. */
const TOLERATED = 0.2;

/** Passes if none of `total` was found, gives partial credit for a small share, and does not apply without any. */
export function fewOf(found: number, total: number, what: string): Verdict {
  if (total === 0) return notApplicable(`0 of 0 ${what}`);
  const measured = `${found} of ${total} ${what}`;
  if (found === 0) return pass(measured);
  return found / total <= TOLERATED ? warning(1 - found / total, measured) : fail(measured);
}

export const days = (by: number, max = 3_650): Threshold => ({ default: by, min: 1, max });
