import { text, type Kind } from '#libs/http/field.js';

/** An e-mail address in a filter, which compares without regard to case. */
export function emailFilter(): Kind {
  return { ...text({ min: 1, max: 254 }), parse: (value) => value.toLowerCase() };
}
