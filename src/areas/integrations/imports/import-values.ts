import type { JsonSchema } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';

/** Why a text is no value of a field. */
export interface ValueFault {
  code: string;
  detail: string;
}

/** How numbers and dates are written. */
export interface Notation {
  decimal: string;
  /** What may stand between groups of three digits. */
  groups: readonly string[];
  /** Order of day, month and year. */
  order: readonly ('day' | 'month' | 'year')[];
}

const YES = new Set([
  'true',
  'yes',
  'y',
  '1',
  'x',
  'ja',
  'wahr',
  'oui',
  'vrai',
  'sí',
  'si',
  'verdadero',
  'vero',
  'sim',
]);
const NO = new Set(['false', 'no', 'n', '0', 'nein', 'falsch', 'non', 'faux', 'falso', 'não']);
const BLANKS = [' ', '\u00a0', '\u202f'];
const DAY = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})\.?$/;
const PLAIN = /^-?\d{1,17}(\.\d{1,10})?$/;

/** The notation of a language tag. */
export function notationOf(locale: string): Notation {
  const style = { numberingSystem: 'latn', minimumFractionDigits: 1 } as const;
  const parts = new Intl.NumberFormat(locale, style).formatToParts(1234567.5);
  const decimal = parts.find(({ type }) => type === 'decimal')!.value;
  const group = parts.find(({ type }) => type === 'group')?.value ?? '';
  const date = new Intl.DateTimeFormat(locale, { calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC' });
  const order = date
    .formatToParts(0)
    .flatMap(({ type }) => (type === 'day' || type === 'month' || type === 'year' ? type : []));
  const groups = group === '' || BLANKS.includes(group) ? BLANKS : [group, ...(group === '’' ? ["'"] : [])];
  return { decimal, groups, order };
}

/** The value of a schema that a text stands for, or why it is none. Texts that are not empty. */
export function valueOf(text: string, schema: JsonSchema, notation: Notation): { value: unknown } | ValueFault {
  const types = [schema['type'] ?? 'object'].flat().filter((type) => type !== 'null');
  switch (types[0]) {
    case 'integer': {
      const plain = PLAIN.test(text.trim()) && !text.includes('.') ? text.trim() : decimalOf(text, notation);
      return plain === null ? fault('invalid_number', 'The value must be a number.') : { value: Number(plain) };
    }
    case 'number': {
      const written = text.trim().replace(notation.decimal, '.');
      return PLAIN.test(written)
        ? { value: Number(written) }
        : fault('invalid_number', 'The value must be a number without grouping.');
    }
    case 'boolean':
      return flagOf(text);
    case 'array':
      return listOf(text, (schema['items'] ?? {}) as JsonSchema, notation);
    case 'string':
      return { value: textOf(text, schema, notation) };
    default:
      return jsonOf(text);
  }
}

/** An amount in major units, as decimal text with a point; null for anything else. */
export function decimalOf(text: string, { decimal, groups }: Notation): string | null {
  const [whole = '', fraction, ...more] = text.trim().replace('−', '-').split(decimal);
  if (more.length > 0 || (fraction !== undefined && !/^\d{1,10}$/.test(fraction))) return null;
  const sign = whole.startsWith('-') ? '-' : '';
  const parts = groups.reduce(
    (all, group) => (whole.includes(group) ? whole.slice(sign.length).split(group) : all),
    [whole.slice(sign.length)],
  );
  const isGrouped =
    parts.length === 1 || (/^\d{1,3}$/.test(parts[0]!) && parts.slice(1).every((each) => /^\d{3}$/.test(each)));
  const digits = parts.join('');
  if (!isGrouped || !/^\d{1,17}$/.test(digits)) return null;
  return `${sign}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}

function flagOf(text: string): { value: boolean } | ValueFault {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : fault('invalid_type', 'The value must be true or false.');
}

function textOf(text: string, { enum: words, format }: JsonSchema, notation: Notation): string {
  if (format === 'date') return dayOf(text, notation);
  if (format === 'uuid' || format === 'date-time') return text.trim();
  if (!Array.isArray(words) || words.includes(text)) return text;
  const word = (each: string) =>
    each
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
  return (words as string[]).find((each) => word(each) === word(text)) ?? text;
}

/** A day as `YYYY-MM-DD` if it is written in the order of the notation; otherwise the text. */
function dayOf(text: string, { order }: Notation): string {
  const [, first, , second, third] = DAY.exec(text.trim()) ?? [];
  if (first === undefined) return text.trim();
  const given = [first, second!, third!];
  const places = first.length === 4 ? (['year', 'month', 'day'] as const) : order;
  const part = (name: 'day' | 'month' | 'year') => given[places.indexOf(name)]!;
  return part('year').length === 4
    ? `${part('year')}-${part('month').padStart(2, '0')}-${part('day').padStart(2, '0')}`
    : text.trim();
}

/** Items between semicolons, as exports write them, or a list in JSON. */
function listOf(text: string, items: JsonSchema, notation: Notation): { value: unknown } | ValueFault {
  if (text.trimStart().startsWith('[')) {
    const list = jsonOf(text);
    if ('value' in list && Array.isArray(list.value)) return list;
  }
  const texts = '$ref' in items ? objectsIn(text) : text.split(';').map((each) => each.trim());
  const values = texts.filter((each) => each !== '').map((each) => valueOf(each, items, notation));
  const wrong = values.find((each): each is ValueFault => 'code' in each);
  return wrong ?? { value: values.map((each) => (each as { value: unknown }).value) };
}

/** Objects in JSON between semicolons; texts in them may have semicolons too. */
function objectsIn(text: string): string[] {
  const found: string[] = [];
  for (const part of text.split(/;(?=\s*\{)/)) {
    const open = found.at(-1);
    if (open !== undefined && 'code' in jsonOf(open)) found[found.length - 1] = `${open};${part}`;
    else found.push(part);
  }
  return found;
}

function jsonOf(text: string): { value: unknown } | ValueFault {
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) || Array.isArray(value)
      ? { value }
      : fault('invalid_type', 'The value must be an object in JSON.');
  } catch {
    return fault('invalid_type', 'The value must be an object in JSON.');
  }
}

function fault(code: string, detail: string): ValueFault {
  return { code, detail };
}
