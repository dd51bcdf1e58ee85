import { roundedQuotient } from '#libs/lines/exact-amounts.js';

/** Totals of an invoice in both currencies; `baseTotalMinor` is null if they are the same. */
export interface BaseTotals {
  totalMinor: number;
  baseTotalMinor: number | null;
}

/**
 * Value of a part of an invoice in the tenant's currency, in minor units: the part between two settled amounts. Parts
 * that add up to the total add up to its value, regardless of rounding.
 */
export function baseShare({ totalMinor, baseTotalMinor }: BaseTotals, fromMinor: number, toMinor: number): number {
  if (baseTotalMinor === null || baseTotalMinor === totalMinor) return toMinor - fromMinor;
  const worth = (settledMinor: number) =>
    Number(roundedQuotient(BigInt(baseTotalMinor) * BigInt(settledMinor), BigInt(totalMinor)));
  return worth(toMinor) - worth(fromMinor);
}
