import { addressSpelling } from '#libs/kernel/domain.js';
import { text, type Kind } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';

/** A filter by e-mail address, compared like {@link fold}. */
export function emailFilter(): Kind {
  return { ...text({ min: 1, max: 254 }), parse: (value) => fold(addressSpelling(value)) };
}
