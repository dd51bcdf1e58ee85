import { cut } from './cut.js';
import { isObject } from './is-object.js';

/**
 * Makes external or truncated text storable in PostgreSQL, including inside JSON: replaces NUL and lone surrogates
 * with U+FFFD.
 * @param max maximum length in characters
 */
export function storableText(text: string, max = Infinity): string {
  return cut(text, max).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Like {@link storableText}, for all texts in a JSON value, including member names. */
export function storable<T>(value: T): T {
  return cleaned(value) as T; // the same shape
}

/** JSON pointer of the first text, or name of a member, that PostgreSQL cannot store; null if there is none. */
export function unstorableAt(value: unknown, at = ''): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : at;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    const found = isStorable(name)
      ? unstorableAt(member, `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      : at;
    if (found !== null) return found;
  }
  return null;
}

/** Whether a text is well-formed Unicode without NUL. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storableText(name), cleaned(member)]));
}
