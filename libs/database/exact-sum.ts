import { MAX_MINOR } from '#libs/kernel/money.js';

/** The SQL of a sum in a response: null if a JSON number cannot represent it exactly. */
export function exactSum(sum: string): string {
  return `case when abs(${sum}) <= ${MAX_MINOR} then (${sum})::bigint end`;
}
