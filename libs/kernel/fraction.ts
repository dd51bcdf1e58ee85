/** The largest number of decimals of a fraction, so that it has three as a percentage. */
const DECIMALS = 5;

/** A part of a whole, from 0 to 1, with at most five decimals; null if the whole is 0. */
export function fractionOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(DECIMALS));
}

/** A part of a whole in percent, with three decimals, rounded down so that 100 means all; null if the whole is 0. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 100_000) / whole) / 1_000;
}

/** A figure with at most three decimals. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
