import { text, type Kind } from '#libs/http/field.js';
import { exponentOf } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';
import { roundedQuotient } from '#libs/lines/exact-amounts.js';

/**
 * An exchange rate as decimal text, greater than zero: units of the tenant's currency per unit of the other currency.
 */
export function exchangeRate(): Kind {
  const kind = text({ min: 1, max: 20, pattern: /^\d{1,9}(\.\d{1,10})?$/, form: 'a decimal number such as 1.0825' });
  return {
    ...kind,
    check: (value) => {
      const faults = kind.check(value);
      if (faults.length > 0 || Number(value) > 0) return faults;
      return [{ code: 'out_of_range', detail: 'The rate must be more than zero.' }];
    },
  };
}

/**
 * Converts minor units of `currency` to minor units of `base`, rounded half away from zero.
 * @throws Problem 400 at `pointer` if the result exceeds the exact range.
 */
export function converted(
  amountMinor: number,
  currency: string,
  rate: string,
  base: string,
  pointer = '/exchangeRate',
): number {
  const [whole = '', fraction = ''] = rate.split('.');
  const dividend = BigInt(amountMinor) * BigInt(whole + fraction) * 10n ** BigInt(exponentOf(base));
  const outcome = Number(roundedQuotient(dividend, 10n ** BigInt(fraction.length + exponentOf(currency))));
  if (Number.isSafeInteger(outcome)) return outcome;
  throw Problem.validation([
    { pointer, code: 'out_of_range', detail: 'The amount in the tenant’s currency is too large.' },
  ]);
}
