import { text, type Kind } from './field.js';

/** The expected format, for error texts. */
export const EMAIL_FORM = 'an e-mail address such as ana@acme.example';

/** An e-mail address. Preserves case. */
export function emailAddress(): Kind {
  return text({ min: 3, max: 254, pattern: /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/, form: EMAIL_FORM });
}
