import fc, { type Arbitrary } from 'fast-check';
import type { Call } from '../matrix/fixture-parts.js';
import type { Json, Operation, Parameter } from '../matrix/operations.js';
import { typeOf } from '../matrix/operations.js';
import { pathValueOf, pathWith } from '../matrix/running.js';
import { type Distortion, distortion } from './json-text.js';
import { bodyValue, freeTexts, hostileText, STAND_IN, UNSTORABLE, validValue, wrongMember } from './values.js';

type Pair = [name: string, value: string];

/** A generated request. Null parts are taken from the operation's fixture. */
export interface Draft {
  /** Whether to create the fixture's record again or use the state left by the last case. */
  fresh: boolean;
  body: { value: unknown } | null;
  /** Members that override those of the fixture's body. */
  members: Json;
  distort: Distortion | null;
  /** Encoded text for each path parameter. */
  path: string | null;
  query: Pair[] | null;
  /** Appended to the query unencoded. */
  rawQuery: string;
  headers: Record<string, string>;
}

/** A request ready to be sent. */
export interface Wire {
  method: string;
  path: string;
  body?: string | Uint8Array;
  headers: Record<string, string>;
}

/** The unchanged call of the fixture, which each operation runs first so that at least one call succeeds. */
export const PLAIN: Draft = {
  fresh: true,
  body: null,
  members: {},
  distort: null,
  path: null,
  query: null,
  rawQuery: '',
  headers: {},
};

const rarely = <T>(arbitrary: Arbitrary<T>, otherwise: T, weight = 8): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary });

const PATHS = [
  '%',
  '%zz',
  '%00',
  '%c3%28',
  '%2e%2e%2f',
  '%ed%a0%80',
  'x%0d%0ay',
  ';',
  '~',
  '0',
  'null',
  '__proto__',
  'x'.repeat(600),
];

const pathText: Arbitrary<string | null> = fc.oneof(
  { weight: 12, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant(STAND_IN.foreign) },
  { weight: 1, arbitrary: fc.uuid({ version: [1, 4, 7] }) },
  { weight: 1, arbitrary: fc.constantFrom(...PATHS) },
  { weight: 1, arbitrary: fc.uuid().map((id) => id.toUpperCase()) },
  {
    weight: 1,
    arbitrary: queryText(hostileText)
      .map(encodeURIComponent)
      .filter((text) => !/^\.*$/.test(text)),
  },
);

const RAW_QUERIES = [
  '%',
  '%zz=%c3%28',
  'limit=1&limit=2',
  'limit[]=1',
  'limit[$gt]=',
  '__proto__[polluted]=true',
  '&&==&',
  'a=b',
  '=',
  '%00=%00',
  'constructor=1',
  `q=${'x'.repeat(6_000)}`,
  'x=1&'.repeat(1_200),
];

const CURSORS = [
  '',
  'x',
  'e30',
  'AAAA',
  STAND_IN.cursor,
  `x${STAND_IN.cursor}`,
  `${STAND_IN.cursor}A`,
  `${STAND_IN.cursor}=`,
  Buffer.from('{"id":1}').toString('base64'),
  'A'.repeat(4_000),
];

const LIMITS = ['0', '-1', '1', '200', '201', '1e9', '9'.repeat(30), '1.0', '0x10', ' 5', '٣', 'NaN', ''];

const ODD_HEADERS: Record<string, string[]> = {
  'idempotency-key': ['', ' ', '"', '""', '"a"', 'a', 'b', 'a b', 'é', 'x'.repeat(255), 'x'.repeat(256), "';--", 'a,b'],
  'if-match': ['*', '"1"', 'W/"1"', '"1", "2"', '1', '""', '"999999999999999999999"', 'é', ',', `"${'x'.repeat(500)}"`],
  'if-none-match': ['*', '"1"', 'W/"1"', '1', ','],
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'application/merge-patch+json',
    'APPLICATION/JSON',
    'application/json;;',
    '*/*',
    'x',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
  ],
  'content-encoding': ['gzip', 'x'],
  accept: ['text/html', '', 'application/json;q=0', '*/*'],
  'x-request-id': ['', 'short', 'x'.repeat(200), 'é', 'a-good-request-id'],
  'x-forwarded-for': ['1.2.3.4', 'nobody', '::1'],
  'x-http-method-override': ['DELETE'],
  'user-agent': ['', '\u00ff', 'x'.repeat(2_000)],
};

const oddHeaders: Arbitrary<Record<string, string>> = fc
  .subarray(Object.keys(ODD_HEADERS), { minLength: 1, maxLength: 2 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...ODD_HEADERS[name]!)]))));

/** Requests of an operation: most as declared, the others wrong in one or two ways. */
export function draftOf(operation: Operation): Arbitrary<Draft> {
  const parameters = operation.parameters.filter((each) => each.in === 'query');
  return fc.record({
    fresh: fc.boolean(),
    body: operation.body
      ? fc.oneof(
          { weight: 3, arbitrary: bodyValue(operation.body).map((value) => ({ value })) },
          { weight: 1, arbitrary: fc.constant(null) },
        )
      : rarely(
          bodyValue({}).map((value) => ({ value })),
          null,
        ),
    members:
      Object.keys(operation.body?.properties ?? {}).length > 0
        ? rarely(wrongMember(operation.body!), {}, 2)
        : fc.constant({}),
    distort: rarely<Distortion | null>(distortion, null, operation.body ? 4 : 10),
    path: operation.path.includes('{') ? pathText : fc.constant(null),
    query:
      parameters.length > 0
        ? fc.oneof({ weight: 3, arbitrary: queryOf(parameters) }, { weight: 1, arbitrary: fc.constant(null) })
        : fc.constant(null),
    rawQuery: rarely(fc.constantFrom(...RAW_QUERIES), ''),
    headers: rarely(oddHeaders, {}, 5),
  });
}

function queryOf(parameters: Parameter[]): Arbitrary<Pair[]> {
  const pair = fc
    .constantFrom(...parameters)
    .chain((parameter) => queryText(parameterText(parameter)).map((text): Pair => [parameter.name, text]));
  return fc
    .uniqueArray(pair, { maxLength: 3, selector: ([name]) => name })
    .chain((pairs) => rarely(fc.constant([...pairs, ...pairs.slice(0, 1)]), pairs, 10));
}

function parameterText({ name, schema }: Parameter): Arbitrary<string> {
  if (name === 'cursor') return fc.constantFrom(...CURSORS);
  if (name === 'limit') return fc.constantFrom(...LIMITS);
  const wrong = fc.oneof(hostileText, fc.constantFrom(',,,', 'a,'.repeat(300), '%', '-', '*', '\\'));
  const right = validValue(schema, name).map((value) => (Array.isArray(value) ? value.join(',') : String(value)));
  return typeOf(schema) === undefined
    ? wrong
    : fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

/** A lone surrogate cannot be encoded in a URL, and a URL that is too long never reaches the operation. */
function queryText(text: Arbitrary<string>): Arbitrary<string> {
  return text.map((each) => each.slice(0, 1_000).toWellFormed());
}

/** The request of a draft, based on a call that would succeed. */
export function wireOf(operation: Operation, call: Call, draft: Draft, standIns: Record<string, string>): Wire {
  const fill = (text: string): string =>
    Object.entries(standIns).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const path = pathWith(operation, (name) => draft.path ?? pathValueOf(operation, call, name) ?? STAND_IN.foreign);
  const pairs = draft.query ?? Object.entries(call.query ?? {});
  const query = [
    ...pairs.map((pair) => pair.map(encodeURIComponent).join('=')),
    ...(draft.rawQuery ? [draft.rawQuery] : []),
  ];
  const wire: Wire = {
    method: operation.method,
    path: fill(path + (query.length > 0 ? `?${query.join('&')}` : '')),
    headers: draft.headers,
  };
  const value = draft.body ? draft.body.value : withMembers(call.body, draft.members);
  if (operation.method === 'GET' || (value === undefined && !draft.distort)) return wire;
  const text = fill(JSON.stringify(value ?? {}));
  return { ...wire, body: draft.distort ? draft.distort(text) : text };
}

function withMembers(body: Json | undefined, members: Json): Json | undefined {
  return Object.keys(members).length > 0 ? { ...body, ...members } : body;
}

/** External ids used by every draft that has some, so that the second record is refused. */
const TAKEN = { ...PLAIN, members: { externalRefs: [{ system: 'fuzz', id: 'taken' }] } };

/** Whether an operation can give two records the same external id. */
export function canCollide({ alias, body }: Operation): boolean {
  return !alias && body?.properties?.['externalRefs'] !== undefined;
}

/**
 * The first cases of every operation: a valid request, the same with a wrong version, a repeated external id, then text
 * that PostgreSQL cannot store in every member.
 */
export function startersOf(operation: Operation): Draft[] {
  const { alias, body, method } = operation;
  if (alias) return [PLAIN];
  const twice = canCollide(operation) ? [TAKEN, TAKEN] : [];
  const outdated = method === 'GET' ? [] : [{ ...PLAIN, headers: { 'if-match': 'W/"999"' } }];
  const members = body ? freeTexts(body) : [];
  const unstorable = members.map((name, i) => ({ ...PLAIN, members: { [name]: UNSTORABLE[i % UNSTORABLE.length] } }));
  return [PLAIN, ...outdated, ...twice, ...unstorable];
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f00:1\])$/;

/** Whether no URL in the text leads to another machine. */
export function staysHere(text: string): boolean {
  return [...text.matchAll(/https?:[^"\s]*/gi)].every(
    ([url]) => !URL.canParse(url) || LOOPBACK.test(new URL(url).hostname),
  );
}
