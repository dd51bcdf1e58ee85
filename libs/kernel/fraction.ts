/** The largest number of decimals of a fraction, so that it has three as a percentage. */
const DECIMALS = 5;

/** A part of a whole, from 0 to 1, with at most five decimals; null if the whole is 0. */
export function fractionOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Number((part / whole).toFixed(DECIMALS));
}
