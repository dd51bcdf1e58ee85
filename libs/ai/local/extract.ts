import { cut } from '#libs/kernel/cut.js';
import type { ExtractField } from '../kinds/extraction.js';
import type { ModelTask } from '../provider.js';
import type { LocalAnswer } from './answer.js';
import { labelOf } from './facts.js';
import { amountsIn, datesIn, emailsIn, numbersIn, phonesIn, urlsIn } from './patterns.js';
import { termsOf } from './words.js';

/** Maximum distance between a label and the start of its value, in characters. */
const REACH = 300;
const MAX_VALUES = 100;
const SEPARATOR = /^[^\S\n]{0,5}(?:[:=#–-]|(?:is|ist|est|es|é)(?=\s))\s{0,5}/iu;
const YES = /^(?:yes|true|y|ja|oui|si|sí|sim|x|✓|✔)(?![\p{L}\p{N}])/iu;
const NO = /^(?:no|false|n|nein|non|nao|não|nee|-)(?![\p{L}\p{N}])/iu;
/** A character of a word. A placeholder such as `[EMAIL_1]` is a word, but not a label. */
const LETTER = /[\p{L}\p{N}_]/u;

/** A text, prepared for the search of many fields. */
interface Searched {
  text: string;
  /** In lower case, with every letter at its original position. */
  low: string;
  /** Its terms, joined, for choices; computed on demand. */
  terms: () => string;
  /** What follows each label that was searched for, because fields share labels. */
  labelled: Map<string, Labelled[]>;
}

/** What follows a label at a position of the text. */
interface Labelled {
  at: number;
  value: string;
}

/**
 * The values of the requested fields: first after their labels, then, if the type has a distinctive form, anywhere in
 * the text.
 */
export function extractFields({ input }: ModelTask): LocalAnswer {
  const { text, fields } = input as { text: string; fields: ExtractField[] };
  let terms: string | null = null;
  const searched: Searched = {
    text,
    low: lowered(text),
    terms: () => (terms ??= ` ${termsOf(text).join(' ')} `),
    labelled: new Map(),
  };
  return { json: Object.fromEntries(fields.map((field) => [field.name, valueOf(field, searched)])) };
}

function valueOf(field: ExtractField, searched: Searched): unknown {
  const wanted = field.many ? MAX_VALUES : 1;
  const labelled = behindLabels(field, searched).flatMap((rest) => labelledValues(field, rest).slice(0, wanted));
  const values = labelled.length > 0 ? labelled : freeValues(field, searched);
  return field.many ? distinct(values).slice(0, MAX_VALUES) : (values[0] ?? null);
}

/** Values after a label of the field, on its line, or on the next line if its line ends there. */
function behindLabels({ name, labels = [], type }: ExtractField, searched: Searched): string[] {
  const known = new Set([name.replaceAll('_', ' '), labelOf(name), ...labels].map((label) => label.toLowerCase()));
  // Text without a distinctive form requires a clear label.
  const isClear = type === undefined || type === 'text';
  const found: Labelled[] = [];
  for (const label of known) found.push(...behindLabel(label, isClear, searched).slice(0, MAX_VALUES - found.length));
  return found.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

/** The first values after a label; after a clear label only those that a separator precedes. */
function behindLabel(label: string, isClear: boolean, { text, low, labelled }: Searched): Labelled[] {
  const key = `${isClear} ${label}`;
  const known = labelled.get(key);
  if (known) return known;
  const found: Labelled[] = [];
  labelled.set(key, found);
  for (
    let at = low.indexOf(label);
    at !== -1 && found.length < MAX_VALUES;
    at = low.indexOf(label, at + label.length)
  ) {
    const start = at + label.length;
    if (LETTER.test(text.charAt(at - 1)) || LETTER.test(text.charAt(start))) continue;
    const rest = cut(text.slice(start), REACH);
    const separator = SEPARATOR.exec(rest)?.[0];
    if (separator === undefined && isClear) continue;
    const value = rest
      .slice(separator?.length ?? 0)
      .split(/\r?\n/, 1)[0]!
      .trim();
    if (value !== '') found.push({ at, value });
  }
  return found;
}

/** Values in the text after a label. */
function labelledValues(field: ExtractField, text: string): unknown[] {
  switch (field.type) {
    case 'number':
      return numbersIn(text);
    case 'integer':
      return numbersIn(text).filter(Number.isInteger);
    case 'boolean':
      return YES.test(text) ? [true] : NO.test(text) ? [false] : [];
    case 'amount': {
      const amounts = amountsIn(text);
      return amounts.length > 0 ? amounts : numbersIn(text).map((value) => ({ value, currency: null }));
    }
    case undefined:
    case 'text':
      return [text];
    default:
      return freeValues(field, { text, terms: () => ` ${termsOf(text).join(' ')} ` });
  }
}

/** Values that are recognized by their form, at any position. */
function freeValues(
  { type, choices = [] }: ExtractField,
  { text, terms }: Pick<Searched, 'text' | 'terms'>,
): unknown[] {
  switch (type) {
    case 'email':
      return emailsIn(text);
    case 'phone':
      return phonesIn(text);
    case 'url':
      return urlsIn(text);
    case 'date':
      return datesIn(text);
    case 'amount':
      return amountsIn(text);
    case 'choice':
      return choices.filter((choice) => {
        const wanted = termsOf(choice).join(' ');
        return wanted !== '' && terms().includes(` ${wanted} `);
      });
    default:
      return [];
  }
}

/** Converts to lower case without changing positions: a letter that would become two is unchanged. */
function lowered(text: string): string {
  const low = text.toLowerCase();
  return low.length === text.length ? low : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
