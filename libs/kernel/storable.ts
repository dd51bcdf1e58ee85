import { isObject } from './is-object.js';

/**
 * Text that came from elsewhere, or was cut, as PostgreSQL can store it, also inside of JSON: U+FFFD in the place of NUL and
 * of halves of characters. @param max UTF-16 units that are kept
 */
export function storableText(text: string, max = Infinity): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** As {@link storableText} for all texts in a JSON value, the names of members included. */
export function storable<T>(value: T): T {
  return cleaned(value) as T; // the same shape
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), cleaned(member)]));
}
