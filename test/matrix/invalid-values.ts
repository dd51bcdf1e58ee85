import { isNullable, type Json, type Schema, typeOf, withoutNull } from './operations.js';

/** A value that a field must refuse. */
export interface InvalidValue {
  name: string;
  value: unknown;
}

const OTHERS: Record<string, unknown[]> = {
  string: [1, true, {}, []],
  integer: ['1', 1.5, true, {}, []],
  number: ['1', true, {}, []],
  boolean: ['true', 1, {}, []],
  array: ['x', 1, {}],
  object: ['x', 1, []],
};

/**
 * Values outside a schema: other types, disallowed null, and values just beyond each bound. None for a schema with
 * several types, because validity may depend on other members.
 */
export function invalidValues(schema: Schema): InvalidValue[] {
  const plain = withoutNull(schema);
  if ([plain.type].flat().filter((each) => each !== 'null').length > 1) return [];
  const type = typeOf(plain) ?? 'object';
  const found: InvalidValue[] = (OTHERS[type] ?? []).map((value) => ({ name: JSON.stringify(value), value }));
  const add = (name: string, value: unknown) => found.push({ name, value });
  if (!isNullable(schema)) add('null', null);
  if (plain.enum) add('a word that is not listed', 'no_such_word');
  if (plain.minimum !== undefined) add('below the minimum', plain.minimum - 1);
  if (plain.maximum !== undefined && plain.maximum < Number.MAX_SAFE_INTEGER)
    add('above the maximum', plain.maximum + 1);
  if (type === 'integer' || type === 'number') add('beyond exact numbers', 1e300);
  if (type === 'string' && !plain.enum) {
    add('NUL', 'a\0b');
    add('half a surrogate pair', 'a\ud800b');
    if (plain.maxLength !== undefined) add('too long', 'x'.repeat(plain.maxLength + 1));
    if (plain.minLength) add('too short', '');
    if (plain.pattern || plain.format) add('another form', ' ');
    if (isShownOnOneLine(plain)) {
      add('a line break', 'a\r\nb');
      add('a direction override', 'a\u202eb');
    }
    if (plain.pattern === '\\S') add('nothing to see', '\u2060\u200b\u2060');
  }
  if (plain.format === 'date')
    ['2026-02-30', '2026-1-1', 'tomorrow', '2026-11-21T00:00:00Z', '0001-01-01', '9000-01-01', '9999-12-31'].forEach(
      (each) => add(each, each),
    );
  if (plain.format === 'date-time')
    ['2026-11-21', '2026-11-21T25:00:00Z', 'now', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].forEach((each) =>
      add(each, each),
    );
  if (plain.format === 'uuid')
    ['1', '019AA5F4-9A52-7C31-8C1E-0C9A4A3F1B20', '{019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20}'].forEach((each) =>
      add(each, each),
    );
  if (plain.items) {
    if (plain.maxItems !== undefined && plain.maxItems < 1_000)
      add(
        'too many items',
        Array.from({ length: plain.maxItems + 1 }, (_, i) => `x${i}`),
      );
    if (plain.minItems) add('too few items', []);
    for (const { name, value } of invalidValues({ ...plain.items })) add(`an item: ${name}`, [value]);
  }
  if (plain.properties) add('an unknown member', { nonsense: 1 });
  return found;
}

function isShownOnOneLine({ maxLength = Infinity, pattern = '\\S', format }: Schema): boolean {
  return maxLength <= 254 && pattern === '\\S' && format === undefined;
}

/** Texts that a parameter must refuse. A lone surrogate cannot be encoded in a URL. */
export function invalidTexts(schema: Schema): InvalidValue[] {
  const plain = withoutNull(schema);
  const type = typeOf(plain) ?? 'string';
  if (type === 'array')
    return invalidTexts(plain.items!).map(({ name, value }) => ({ name: `an item: ${name}`, value }));
  if (type === 'boolean') return ['', 'yes', '1', 'TRUE'].map((value) => ({ name: `"${value}"`, value }));
  if (type === 'string')
    return invalidValues({ ...plain, type }).filter(
      ({ value }) => typeof value === 'string' && value.isWellFormed() && !/[\r\u202e]/.test(value),
    );
  const beyond = [plain.minimum, plain.maximum].map((bound, i) => (bound === undefined ? [] : [bound + (i ? 1 : -1)]));
  return ['', 'x', '1e3', '0x1', '1;5', 'NaN', ...beyond.flat().map(String)].map((value) => ({
    name: `"${value}"`,
    value,
  }));
}

/** A deep copy with one member set; `path` leads through objects. */
export function withMember(body: Json, name: string, value: unknown): Json {
  return { ...structuredClone(body), [name]: value };
}
