import { text, type Kind } from './field.js';

/** The fault of an invalid address, in words. */
export const EMAIL_FORM = 'an e-mail address such as ana@acme.example';

/** An e-mail address. Case is kept. */
export function emailAddress(): Kind {
  return text({ min: 3, max: 254, pattern: /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/, form: EMAIL_FORM });
}
