import { isObject } from '#libs/kernel/is-object.js';
import { personalDataIn } from './find.js';
import type { Looking } from './kinds.js';
import { wordsOf } from './labels.js';
import { PLACEHOLDER } from './placeholders.js';

/** Original text by placeholder. Contains personal data. */
export type Places = Record<string, string>;

/**
 * Replaces personal data with placeholders such as `[EMAIL_1]`. The same text always gets the same placeholder. Use one
 * instance for everything that is sent together.
 */
export class Masking {
  private readonly byText = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly looking: Looking,
    /** Existing placeholders; new ones are added. */
    readonly places: Places = {},
  ) {
    for (const [placeholder, text] of Object.entries(places)) {
      const name = placeholder.slice(1, placeholder.lastIndexOf('_'));
      this.byText.set(`${name} ${text}`, placeholder);
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    }
  }

  /**
   * A JSON value with placeholders in strings, member names, and numbers that are personal data, which become strings.
   */
  mask<T>(value: T): T {
    return this.maskPart(value, null) as T;
  }

  private maskPart(part: unknown, label: string | null): unknown {
    if (typeof part === 'string') return this.maskText(part, label);
    if (typeof part === 'number') {
      const masked = this.maskText(String(part), label);
      return masked === String(part) ? part : masked;
    }
    if (Array.isArray(part)) return part.map((item) => this.maskPart(item, label));
    if (!isObject(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([name, member]) => [this.maskText(name, null), this.maskPart(member, wordsOf(name))]),
    );
  }

  private maskText(text: string, label: string | null): string {
    const pieces: string[] = [];
    let at = 0;
    for (const { kind, start, end } of personalDataIn(text, label, this.looking)) {
      pieces.push(this.escape(text.slice(at, start)), this.placeholderOf(kind.toUpperCase(), text.slice(start, end)));
      at = end;
    }
    return [...pieces, this.escape(text.slice(at))].join('');
  }

  /** Text that looks like a placeholder gets one too; otherwise unmasking would replace it with personal data. */
  private escape(text: string): string {
    return text.replaceAll(PLACEHOLDER, (literal) => this.placeholderOf('TEXT', literal));
  }

  private placeholderOf(name: string, text: string): string {
    const key = `${name} ${text}`;
    let placeholder = this.byText.get(key);
    if (placeholder === undefined) {
      const number = (this.counts.get(name) ?? 0) + 1;
      placeholder = `[${name}_${number}]`;
      this.counts.set(name, number);
      this.byText.set(key, placeholder);
      this.places[placeholder] = text;
    }
    return placeholder;
  }
}

/** Replaces placeholders in a JSON value with the original data. Unknown placeholders remain. */
export function unmask<T>(value: T, places: Places): T {
  return restored(value, places) as T;
}

function restored(part: unknown, places: Places): unknown {
  if (typeof part === 'string')
    return part.replaceAll(PLACEHOLDER, (placeholder) =>
      Object.hasOwn(places, placeholder) ? places[placeholder]! : placeholder,
    );
  if (Array.isArray(part)) return part.map((item) => restored(item, places));
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, member]) => [restored(name, places), restored(member, places)]),
  );
}
