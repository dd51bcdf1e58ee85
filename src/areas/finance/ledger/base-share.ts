import { roundedQuotient } from '#libs/lines/exact-amounts.js';

/** What is known of an invoice in both currencies; `baseTotalMinor` is null where they are the same. */
export interface BaseTotals {
  totalMinor: number;
  baseTotalMinor: number | null;
}

/**
 * What a part of an invoice is worth in the tenant's currency, in minor units: the part from one settled amount to
 * another. Parts that add up to the whole are worth what the whole is worth, whatever is rounded on the way.
 */
export function baseShare({ totalMinor, baseTotalMinor }: BaseTotals, fromMinor: number, toMinor: number): number {
  if (baseTotalMinor === null || baseTotalMinor === totalMinor) return toMinor - fromMinor;
  const worth = (settledMinor: number) =>
    Number(roundedQuotient(BigInt(baseTotalMinor) * BigInt(settledMinor), BigInt(totalMinor)));
  return worth(toMinor) - worth(fromMinor);
}
