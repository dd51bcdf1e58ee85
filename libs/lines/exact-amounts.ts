import { MAX_MINOR } from '#libs/kernel/money.js';

/** Amounts during calculation: integers of any size, in minor units. */
export interface ExactAmounts {
  gross: bigint;
  discount: bigint;
  net: bigint;
  tax: bigint;
  total: bigint;
}

/** A quotient rounded half away from zero. `divisor` is positive. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

/** The sums of amounts, one per field. */
export function sumOf(amounts: readonly ExactAmounts[]): ExactAmounts {
  const sum = { gross: 0n, discount: 0n, net: 0n, tax: 0n, total: 0n };
  for (const each of amounts) {
    sum.gross += each.gross;
    sum.discount += each.discount;
    sum.net += each.net;
    sum.tax += each.tax;
    sum.total += each.total;
  }
  return sum;
}

/** Whether JSON can represent all amounts exactly. */
export function fitsMinor(amounts: ExactAmounts): boolean {
  const limit = BigInt(MAX_MINOR);
  return [amounts.gross, amounts.discount, amounts.net, amounts.tax, amounts.total].every(
    (amount) => amount >= -limit && amount <= limit,
  );
}
