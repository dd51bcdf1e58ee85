import type { ExactAmounts } from './exact-amounts.js';
import type { TaxableLine } from './taxable-line.js';

const magnitude = (value: bigint) => (value < 0n ? -value : value);

/**
 * The line of `members` that receives a rounding difference: the one with the largest amount. Ties are resolved by
 * content, never by position, and by the sign of quantities relative to the difference, so that a document and its
 * negation select the same line. Lines without any difference are interchangeable.
 */
export function largestLine(
  members: readonly number[],
  amounts: readonly ExactAmounts[],
  lines: readonly TaxableLine[],
  difference: bigint,
): number {
  const sign = difference < 0n ? -1 : 1;
  const compare = (a: number, b: number): number => {
    const [one, other] = [amounts[a]!, amounts[b]!];
    const [left, right] = [lines[a]!, lines[b]!];
    return (
      descending(magnitude(one.gross - one.discount), magnitude(other.gross - other.discount)) ||
      descending(left.quantity * sign, right.quantity * sign) ||
      descending(left.unitPriceMinor, right.unitPriceMinor) ||
      descending(left.discountPercent, right.discountPercent) ||
      descending(left.description, right.description)
    );
  };
  return members.reduce((best, index) => (compare(index, best) < 0 ? index : best));
}

function descending<T extends bigint | number | string>(a: T, b: T): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
