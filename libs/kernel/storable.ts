import { isObject } from './is-object.js';

/**
 * Makes external or truncated text storable in PostgreSQL, also inside JSON: replaces NUL and lone surrogates by
 * U+FFFD.
 * @param max UTF-16 units that are kept
 */
export function storableText(text: string, max = Infinity): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Like {@link storableText}, for all texts in a JSON value, including names of members. */
export function storable<T>(value: T): T {
  return cleaned(value) as T; // the same shape
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), cleaned(member)]));
}
