import { isCurrency } from '#libs/kernel/money.js';
import type { Kind } from './field.js';

/** An ISO 4217 code in use, in upper case. */
export function currencyCode(): Kind {
  return {
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    check: (value) =>
      typeof value === 'string' && isCurrency(value)
        ? []
        : [{ code: 'unknown_currency', detail: 'The value must be an ISO 4217 code in capitals, such as USD.' }],
    parse: (value) => value,
  };
}
