import { text, type Kind } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';

/** An e-mail address in a filter, which compares as {@link fold} does. */
export function emailFilter(): Kind {
  return { ...text({ min: 1, max: 254 }), parse: fold };
}
