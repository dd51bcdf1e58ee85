import { toMajor, toMinor } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';

/**
 * The value in minor units from `value`, `valueMinor` or both; undefined without either.
 * @throws Problem 400 for too many decimals, `amount_mismatch` when both forms disagree.
 */
export function valueMinorOf(
  input: { value?: number | null; valueMinor?: number | null },
  currency: string,
): number | null | undefined {
  const { value, valueMinor } = input;
  if (value === undefined) return valueMinor;
  // From 2^46, several minor amounts map to the same JSON number. A value that was read must be accepted when sent
  // back.
  if (value !== null && valueMinor != null && toMajor(valueMinor, currency) === value) return valueMinor;
  const converted = value === null ? null : toMinor(value, currency);
  if (value !== null && converted === null)
    throw Problem.validation([
      {
        pointer: '/value',
        code: 'out_of_range',
        detail: `The value must fit ${currency}: no more decimals than it has, and within the exact range.`,
      },
    ]);
  if (valueMinor !== undefined && valueMinor !== converted)
    throw new Problem('amount_mismatch', 'value and valueMinor are different amounts.');
  return converted;
}

/** The value in major units; null without one. */
export function valueOf(valueMinor: number | null, currency: string): number | null {
  return valueMinor === null ? null : toMajor(valueMinor, currency);
}

/** Value times probability, exactly, rounded half up. */
export function weighted(valueMinor: number | null, probability: number): number | null {
  if (valueMinor === null) return null;
  const product = valueMinor * probability;
  if (Number.isSafeInteger(product)) return Math.floor((product + 50) / 100);
  return Number((BigInt(valueMinor) * BigInt(probability) + 50n) / 100n);
}
