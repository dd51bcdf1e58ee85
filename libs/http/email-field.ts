import { addressSpelling } from '#libs/kernel/domain.js';
import { spelled, text, type Kind } from './field.js';

/** The expected format, for error texts. */
export const EMAIL_FORM = 'an e-mail address such as ana@acme.example';

/**
 * An e-mail address. Is kept without invisible marks, an internationalised domain in ASCII (RFC 5891); the case is
 * preserved.
 */
export function emailAddress(): Kind {
  const kind = text({ min: 3, max: 254, pattern: /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/, form: EMAIL_FORM });
  const check = (value: unknown) => kind.check(typeof value === 'string' ? addressSpelling(value) : value);
  return spelled({ ...kind, check }, addressSpelling);
}
