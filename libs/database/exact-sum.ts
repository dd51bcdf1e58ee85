import { MAX_MINOR } from '#libs/kernel/money.js';

/** The SQL of a sum as answers show it: null where JSON numbers could only carry it rounded. */
export function exactSum(sum: string): string {
  return `case when abs(${sum}) <= ${MAX_MINOR} then (${sum})::bigint end`;
}
