import { isObject } from './is-object.js';

/**
 * Makes external or truncated text storable in PostgreSQL, including inside JSON: replaces NUL and lone surrogates
 * with U+FFFD.
 * @param max maximum length in UTF-16 units
 */
export function storableText(text: string, max = Infinity): string {
  return text.slice(0, max).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Like {@link storableText}, for all texts in a JSON value, including member names. */
export function storable<T>(value: T): T {
  return cleaned(value) as T; // the same shape
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), cleaned(member)]));
}
