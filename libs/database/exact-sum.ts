import { MAX_MINOR } from '#libs/kernel/money.js';

/** The SQL of a sum as responses show it: null if a JSON number could not represent it exactly. */
export function exactSum(sum: string): string {
  return `case when abs(${sum}) <= ${MAX_MINOR} then (${sum})::bigint end`;
}
