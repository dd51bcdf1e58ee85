import { jest } from '@jest/globals';
import fc from 'fast-check';
import { compileFilter } from './filter-sql.js';
import type { FilterTable } from './filter-table.js';
import { MAX_DEPTH, MAX_TERMS, parseFilter, parsePath } from './parse-filter.js';
import { GROUPS, USERS } from './resource-schema.js';
import { ScimError } from './scim-error.js';
import { MAX_TEXT, Tokens } from './tokens.js';

const TABLE: FilterTable = {
  document: 'u.keys',
  columns: new Map([
    ['userName', { sql: 'u.user_name_key', type: 'text' }],
    ['id', { sql: 'u.id', type: 'uuid' }],
    ['active', { sql: 'u.active', type: 'boolean' }],
    ['meta.created', { sql: 'u.created_at', type: 'instant' }],
  ]),
  relations: new Map(),
  lookups: new Map([['emails', (parameter) => `u.id in (select user_id from emails where value_key = ${parameter})`]]),
};

function compiled(text: string): { sql: string; values: unknown[] } {
  const values: unknown[] = [];
  return { sql: compileFilter(parseFilter(USERS, text), TABLE, values), values };
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`;
    throw error;
  }
  return 'none';
}

describe('valid filters', () => {
  it.each<[string, string, unknown[]]>([
    ['userName eq "BJensen"', '(u.user_name_key = $1::text)', ['bjensen']],
    ['USERNAME Eq "x"', '(u.user_name_key = $1::text)', ['x']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "x"', '(u.user_name_key = $1::text)', ['x']],
    ['userName sw "5%_\\\\"', '(u.user_name_key like $1::text)', ['5\\%\\_\\\\%']],
    ['userName co "\\u00c9"', '(u.user_name_key like $1::text)', ['%é%']],
    ['userName ew "x"', '(u.user_name_key like $1::text)', ['%x']],
    ['userName gt "x"', '(u.user_name_key collate "C" > $1::text)', ['x']],
    ['userName pr', '(u.user_name_key is not null)', []],
    ['active eq "True"', '(u.active = $1::boolean)', [true]],
    ['active ne false', '(u.active is distinct from $1::boolean)', [false]],
    ['id eq "00000000-0000-7000-8000-000000000001"', '(u.id = $1::uuid)', ['00000000-0000-7000-8000-000000000001']],
    ['id eq "nobody"', '(false)', []],
    ['id ne "nobody"', '(true)', []],
    ['title eq null', "((u.keys->>'title') is null)", []],
    ['name.familyName eq "X"', "((u.keys->'name'->>'familyName') = $1::text)", ['x']],
    [
      'department eq "X"',
      `((u.keys->'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'->>'department') = $1::text)`,
      ['x'],
    ],
    ['meta.created ge "2026-11-21T10:00:00+01:00"', '(u.created_at >= $1::timestamptz)', ['2026-11-21T09:00:00.000Z']],
    ['not (userName eq "x")', '(((u.user_name_key = $1::text) is not true))', ['x']],
  ])('%s', (text, sql, values) => {
    expect(compiled(text)).toEqual({ sql, values });
  });

  it('give and precedence over or, and are enclosed in parentheses', () => {
    const { sql } = compiled('userName eq "a" or userName eq "b" and active eq true');
    expect(sql).toBe('((u.user_name_key = $1::text or (u.user_name_key = $2::text and u.active = $3::boolean)))');
  });

  it.each(['emails[type eq "work" and value eq "X"]', 'emails[type eq "work"].value eq "X"'])(
    'apply all conditions to the same element: %s',
    (text) => {
      expect(compiled(text).sql).toBe(
        "((u.id in (select user_id from emails where value_key = $3::text) and exists (select 1 from jsonb_array_elements((u.keys->'emails')) e (value) where ((e.value->>'type') = $1::text and (e.value->>'value') = $2::text))))",
      );
      expect(compiled(text).values).toEqual(['work', 'x', 'x']);
    },
  );

  it('never contain a value of the request in their SQL text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 3 }), (value) => {
        fc.pre(!value.includes('\0') && value.isWellFormed());
        const { sql, values } = compiled(
          `title co ${JSON.stringify(value)} or emails.display eq ${JSON.stringify(value)}`,
        );
        expect(sql).toBe(compiled('title co "other" or emails.display eq "other"').sql);
        expect(values).toHaveLength(2);
      }),
    );
  });
});

describe('invalid filters', () => {
  it.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName is "x"',
    'userName eq x',
    'userName eq 5',
    "userName eq 'x'",
    'userName eq "x',
    'userName eq "\\x"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName eq "a\nb"',
    'userName eq "x" and',
    'and userName eq "x"',
    'userName eq "x" userName eq "y"',
    '(userName eq "x"',
    'userName eq "x")',
    'not userName eq "x"',
    'colour eq "x"',
    'userName.value eq "x"',
    'urn:unknown:userName eq "x"',
    'password eq "x"',
    'password pr',
    'schemas eq "x"',
    'meta.location eq "x"',
    'groups.value eq "x"', // no relation in this table
    'name eq "x"',
    'addresses eq "x"',
    'active eq "maybe"',
    'active gt true',
    'active co "t"',
    'x509Certificates.value co "x"',
    'title gt null',
    'meta.created gt "yesterday"',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created gt "9999-12-31T23:59:59-23:00"',
    'emails[]',
    'emails[type eq "work"',
    'emails[type eq "work"].colour eq "x"',
    'emails[type eq "work"].value',
    'emails[colour eq "x"]',
    'emails[value[type eq "x"]]',
    'userName[value eq "x"]',
    'userName eq "x"; drop table data.scim_users',
    '__proto__ eq "x"',
    'constructor pr',
    'toString eq "x"',
    'name.__proto__ pr',
  ])('%s', (text) => {
    expect(refusal(() => compiled(text))).toBe('400 invalidFilter');
  });

  it('have limits on their length, depth and number of comparisons', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}title pr${')'.repeat(depth)}`;
    const long = (terms: number) => Array<string>(terms).fill('title pr').join(' or ');
    expect(refusal(() => compiled(nested(MAX_DEPTH)))).toBe('none');
    expect(refusal(() => compiled(nested(MAX_DEPTH + 1)))).toBe('400 invalidFilter');
    expect(refusal(() => compiled(long(MAX_TERMS)))).toBe('none');
    expect(refusal(() => compiled(long(MAX_TERMS + 1)))).toBe('400 invalidFilter');
    expect(refusal(() => compiled(`title pr${' '.repeat(MAX_TEXT)}`))).toBe('400 invalidFilter');
  });
});

const WORDS = [
  'userName',
  'emails',
  '[',
  ']',
  '(',
  ')',
  '"',
  '"x"',
  'eq',
  'co',
  'pr',
  'and',
  'or',
  'not',
  '.value',
  '.',
  'true',
  'null',
  '5',
  '\\',
  '\0',
  '-',
  'type',
  'urn:',
  ':',
  ' ',
  '__proto__',
  '\ud83d',
  'é',
  '$ref',
  'meta.created',
  'active',
];
const garbage = () =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join(' ')),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((words) => words.join('')),
  );

describe('garbage', () => {
  it('is either a valid filter or refused with invalidFilter', () => {
    fc.assert(
      fc.property(garbage(), (text) => {
        expect(['none', '400 invalidFilter']).toContain(refusal(() => compiled(text)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('is either a valid path or refused with invalidPath', () => {
    fc.assert(
      fc.property(garbage(), fc.constantFrom(USERS, GROUPS), (text, schema) => {
        expect(['none', '400 invalidPath']).toContain(refusal(() => parsePath(schema, text)));
      }),
      { numRuns: 20_000 },
    );
  });

  it('takes no more steps than it has characters', () => {
    const steps = jest.spyOn(Tokens.prototype, 'take');
    const inputs = [
      '\\'.repeat(57),
      `title eq "${'\\'.repeat(57)}`,
      `title eq "${'\\\\'.repeat(8_000)}"`,
      '('.repeat(MAX_TEXT),
      'not ('.repeat(3_000),
      'emails['.repeat(2_000),
      `${'('.repeat(45)}title pr${')'.repeat(45)}`,
      Array<string>(400).fill('(((title eq "a") or title pr))').join(' and '),
      '"'.repeat(MAX_TEXT),
      'a'.repeat(MAX_TEXT),
      'a.'.repeat(MAX_TEXT / 2),
      ' '.repeat(MAX_TEXT),
    ];
    for (const text of inputs) {
      steps.mockClear();
      refusal(() => compiled(text));
      expect(steps.mock.calls.length).toBeLessThanOrEqual(text.length + 1);
    }
    steps.mockRestore();
  });
});

it('parses PATCH paths with the filter grammar', () => {
  const path = parsePath(USERS, 'EMAILS[type eq "work" and not (value co "x")].VALUE');
  expect(path.path.map(({ name }) => name)).toEqual(['emails']);
  expect(path.sub?.name).toBe('value');
  expect(path.filter).toMatchObject({ kind: 'and', terms: [{ operator: 'eq' }, { kind: 'not' }] });
});
