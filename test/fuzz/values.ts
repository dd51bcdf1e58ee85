import fc, { type Arbitrary } from 'fast-check';
import { exampleOf, isNullable, type Json, type Schema, typeOf, withoutNull } from '../matrix/operations.js';

/** Placeholders for ids that only the running test knows; {@link wireOf} replaces them. */
export const STAND_IN = {
  subject: '00000000-0000-7000-8000-00000000f001',
  foreign: '00000000-0000-7000-8000-00000000f002',
  cursor: '00000000-0000-7000-8000-00000000f003',
  pipeline: '00000000-0000-7000-8000-00000000f004',
} as const;

/** Refused ports, schemes and address formats. All of them lead to the loopback interface or nowhere. */
const URLS = [
  'http://127.0.0.1:9/fuzz',
  'http://127.0.0.1:2049/a?b=c',
  'http://127.1:9/',
  'http://[::1]:9/',
  'http://[::ffff:127.0.0.1]:9/',
  'http://0x7f000001:9/',
  'http://2130706433:9/',
  'http://127.0.0.1:22/',
  'http://127.0.0.1:99999/',
  'http://user:password@127.0.0.1:9/',
  'http://127.0.0.1:9/#fragment',
  'http://127.0.0.1:9/\u202e\u0000',
  `http://127.0.0.1:9/${'x'.repeat(2_100)}`,
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://',
  '//127.0.0.1',
  'no url',
];

const TEXTS = [
  '',
  ' ',
  '\t\r\n',
  '\ufeffx',
  '\u202eright to left',
  'z\u0301\u0302\u0303\u0304\u0305',
  'İıſK',
  '\u{10ffff}\u{1f600}',
  "'; drop table data.deals; --",
  '%_\\%',
  '{{7*7}}${7*7}',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '-0',
  '1e400',
  '9223372036854775808',
  'true',
  'null',
  'undefined',
  'NaN',
  '0001-01-01',
  '+275760-09-13T00:00:00Z',
  '9999-12-31',
  '9999-12-31T23:59:59.999999999+23:59',
  '2024-02-29',
  '2023-02-29',
];

/** Text that PostgreSQL cannot store. */
export const UNSTORABLE = ['a\0b', 'half a pair \ud800', '\udc00\ud800'];

const NUMBERS = [0, -0, 1, -1, 0.1, 1.005, 1e-320, 1e21, 2 ** 31, 2 ** 53, 2 ** 63, -(2 ** 63), 1e300, -1e300];

/** Unexpected text: all of Unicode, NUL, lone surrogates, very long strings. */
export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 4, arbitrary: fc.constantFrom(...UNSTORABLE) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(10_000), '😀'.repeat(5_001), '\0'.repeat(300), 'é'.repeat(201)) },
);

/** Any JSON value where another was expected. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, {}, [], [[]], [null], [{}], { id: 1 }) },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(Array(5_000).fill('x'), Array(101).fill({}), 'x'.repeat(100_000)) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

/**
 * Values that the schema allows, mostly its bounds and examples. A member named `url` never leads to another machine.
 */
export function validValue(schema: Schema, name: string): Arbitrary<unknown> {
  const plain = withoutNull(schema);
  const value = name === 'url' ? fc.constantFrom<unknown>(...URLS) : plainValue(plain, name);
  return isNullable(schema)
    ? fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    : value;
}

function plainValue(schema: Schema, name: string): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (typeOf(schema)) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        exampleOrBound(schema),
        fc.maxSafeInteger().map((any) => within(schema, any)),
      );
    case 'number':
      return fc.oneof(
        exampleOrBound(schema),
        fc.double({ noNaN: true, min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9 }),
      );
    case 'array':
      return fc.oneof(
        { weight: 3, arbitrary: fc.constant(exampleOf(schema)) },
        {
          weight: 3,
          arbitrary: fc.array(validValue(schema.items!, name), { minLength: schema.minItems ?? 0, maxLength: 4 }),
        },
      );
    case 'object':
      return objectOf(schema, validValue);
    default:
      return textOf(schema, name);
  }
}

function exampleOrBound(schema: Schema): Arbitrary<unknown> {
  return fc.constantFrom(...[schema.minimum, schema.maximum, exampleOf(schema)].filter((each) => each !== undefined));
}

function within({ minimum = -1e9, maximum = 1e9 }: Schema, any: number): number {
  return minimum + (Math.abs(any) % (maximum - minimum + 1));
}

function textOf(schema: Schema, name: string): Arbitrary<unknown> {
  const { format, pattern, minLength = 0, maxLength = 200 } = schema;
  if (format === 'uuid')
    return fc.oneof(
      fc.constantFrom(STAND_IN.subject, STAND_IN.pipeline, STAND_IN.foreign),
      fc.uuid({ version: [4, 7] }),
    );
  if (format === 'date') return fc.constantFrom('1900-01-01', '2024-02-29', '2026-12-18', '8999-12-31', '9999-12-31');
  if (format === 'date-time')
    return fc.constantFrom(
      '1970-01-01T00:00:00Z',
      '2026-11-21T09:15:02.114Z',
      '2026-01-01T00:00:00+23:59',
      '8999-12-31T23:59:59.999Z',
      '9999-12-31T23:59:59.999Z',
    );
  if (/currency/i.test(name)) return fc.constantFrom('USD', 'EUR', 'JPY', 'KWD', 'XXX', 'AAA');
  if (name === 'stage') return fc.constantFrom('qualification', 'proposal', 'negotiation', 'won', 'lost', 'nowhere');
  const example = exampleOf(schema);
  const inBounds = (text: string) => [...text].length >= minLength && [...text].length <= maxLength;
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(example) },
    { weight: 2, arbitrary: freeText(pattern, minLength, maxLength) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('😀'.repeat(maxLength), 'x'.repeat(maxLength), 'x'.repeat(minLength)).filter(inBounds),
    },
  );
}

/** What fast-check cannot follow; without it, some texts are invalid, which is fine here. */
const LOOKAHEAD = /\(\?[!=](?:[^()]|\([^()]*\))*\)/g;
const freeTextsMade = new Map<string, Arbitrary<string>>();

/** Text within bounds. Cached for equal bounds, because fast-check takes milliseconds to create each. */
function freeText(pattern: string | undefined, minLength: number, maxLength: number): Arbitrary<string> {
  const key = `${minLength} ${maxLength} ${pattern}`;
  let made = freeTextsMade.get(key);
  if (!made) {
    made =
      pattern && pattern !== '\\S'
        ? fc.stringMatching(new RegExp(pattern.replaceAll(LOOKAHEAD, '')))
        : fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
    freeTextsMade.set(key, made);
  }
  return made;
}

/** The required members and some of the others. */
function objectOf(schema: Schema, member: (schema: Schema, name: string) => Arbitrary<unknown>): Arbitrary<Json> {
  const members = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, member(each, name)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: schema.required ?? [] });
}

/** A body as declared, but occasionally with a wrong member or undeclared members. */
export function bodyValue(schema: Schema): Arbitrary<unknown> {
  const confused = (each: Schema, name: string): Arbitrary<unknown> =>
    fc.oneof({ weight: 9, arbitrary: validValue(each, name) }, { weight: 1, arbitrary: hostileValue });
  const few = fewOf(schema, validValue);
  return fc.oneof(
    { weight: 4, arbitrary: few },
    { weight: 1, arbitrary: fewOf(schema, confused) },
    { weight: 1, arbitrary: objectOf(schema, confused) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(few, fc.dictionary(hostileText, hostileValue, { maxKeys: 3, noNullPrototype: true }))
        .map(([own, more]) => ({ ...own, ...more })),
    },
    { weight: 1, arbitrary: hostileValue },
  );
}

/** Members with free text. */
export function freeTexts(schema: Schema): string[] {
  const members = Object.entries(schema.properties ?? {});
  return members.filter(([, each]) => typeOf(each) === 'string' && !withoutNull(each).enum).map(([name]) => name);
}

/** One member with a wrong value; for free text, mostly another text. */
export function wrongMember(schema: Schema): Arbitrary<Json> {
  const all = fc.constantFrom(...Object.keys(schema.properties ?? {}));
  const free = freeTexts(schema);
  const any = fc.tuple(all, hostileValue);
  const text = free.length > 0 ? fc.tuple(fc.constantFrom(...free), hostileText) : any;
  return fc.oneof<Arbitrary<[string, unknown]>[]>(any, text).map(([name, value]) => ({ [name]: value }));
}

/** The required members and up to three others, because many random members would always conflict. */
function fewOf(schema: Schema, member: (schema: Schema, name: string) => Arbitrary<unknown>): Arbitrary<Json> {
  const names = Object.keys(schema.properties ?? {});
  return fc.subarray(names, { maxLength: Math.min(3, names.length) }).chain((chosen) => {
    const kept = new Set([...(schema.required ?? []), ...chosen]);
    const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => kept.has(name)));
    return objectOf({ ...schema, properties, required: [...kept] }, member);
  });
}
