import { isOneLine, isVisible } from '#libs/kernel/line.js';
import type { Resource } from '#libs/scim-language/resource.js';
import { invalidValue } from '#libs/scim-language/scim-error.js';

/** Maximum size of an index key, for any characters. */
const MAX_KEY = 500;

/** @throws ScimError `invalidValue` if a text is too long to be searched by. */
export function refuseLong(text: string | undefined, what: string): void {
  if ((text ?? '').length > MAX_KEY) throw invalidValue(`${what} may have at most ${MAX_KEY} characters.`);
}

/** As {@link refuseLong}, for attributes. */
export function refuseLongKeys(resource: Resource, attributes: readonly string[]): void {
  for (const name of attributes) refuseLong(resource[name] as string | undefined, `"${name}"`);
}

/** @throws ScimError `invalidValue` if one of the names does not stay on its line and in its direction. */
export function refuseLines(names: readonly (string | undefined)[]): void {
  if (names.some((name) => name !== undefined && !isOneLine(name)))
    throw invalidValue('A name is one line, without controls and direction overrides.');
}

/** @throws ScimError `invalidValue` if nobody would see the name. */
export function refuseUnseen(name: string): void {
  if (!isVisible(name)) throw invalidValue('A name needs a visible character.');
}
