import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { invalidTexts, invalidValues } from './invalid-values.js';
import { type Failure, isWellFormed } from './judged-inputs.js';
import { NOWHERE, OF_SESSIONS, type Operation, parametersIn, typeOf } from './operations.js';
import { type Running, sceneOf, send, startRunning, urlOf } from './running.js';
import { sampleOf } from './sample.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/**
 * Every operation refuses an invalid request with a 400 that lists the failures of all its parts, and nothing is
 * written. `inputs.spec.ts` tries all invalid values.
 */
const platform: Running = await startRunning();
/** A short path is the same route, so each value is tried on one of the two. SCIM has a separate suite. */
const operations = platform.operations.filter(({ open, alias, scim }) => !open && !alias && !scim);
const short = platform.operations.filter(({ alias }) => alias);
const withBody = operations.filter(({ body }) => body !== null);
const withoutBody = operations.filter(({ body, method }) => body === null && method !== 'GET');
afterAll(() => platform.close());

/** A tenant with nothing but what every tenant has. */
let bare: TestTenant & Scene;
beforeAll(async () => {
  bare = await newScene();
});

async function newScene(): Promise<TestTenant & Scene> {
  const made = sceneOf(platform, await platform.tenant(), 'validated');
  await made.api.get('/api/v1/sales/pipelines');
  await made.api.get('/api/admin/audit-logs');
  return made;
}

/** Operations that one tenant serves: all of its rows are compared, so they must not become many. */
const PER_TENANT = 15;
let served = 0;
let scene: TestTenant & Scene;

/** A call that succeeds, in a tenant with its records. */
async function prepared(operation: Operation): Promise<Call> {
  if (served++ % PER_TENANT === 0) scene = await newScene();
  return callOf(operation, scene);
}

/** The failures of a 400 `validation_failed`; the test fails for any other response. */
function failuresOf(answer: Answer, what: string): Failure[] {
  const { status, body } = answer;
  expect({ what, status, code: body['code'] }).toEqual({ what, status: 400, code: 'validation_failed' });
  const errors = body['errors'] as Failure[];
  // A single assertion for very many values, because `expect` itself is slow.
  expect({ what, malformed: errors.filter((each) => !isWellFormed(each)) }).toEqual({ what, malformed: [] });
  return errors;
}

/** Runs requests that must not write anything. */
async function withoutEffect({ id }: TestTenant, work: () => Promise<void>): Promise<void> {
  const before = await fingerprintOf(platform.admin, id);
  await work();
  expect(await fingerprintOf(platform.admin, id)).toEqual(before);
}

/** Parameters and members that one call gets wrong: few enough for one response to list all failures. */
const AT_ONCE = 10;
const UNKNOWN = { nonsense: '1', 'name[like]': 'x', __proto: '1' };
const UNKNOWN_MEMBERS = { nonsense: 1, 'a/b~c': 2, constructor: 3, tenantId: NOWHERE };

/** A call with everything wrong, and the places of its failures. */
function wrongCall(operation: Operation): { call: Call; places: string[] } {
  const path = Object.fromEntries(
    parametersIn(operation, 'path').map(({ name, schema }) => [
      name,
      encodeURIComponent(String(invalidTexts(schema)[0]!.value)) || '%20',
    ]),
  );
  const query = parametersIn(operation, 'query')
    .filter(({ name }) => name !== 'cursor')
    .slice(0, AT_ONCE)
    .flatMap(({ name, schema }) =>
      invalidTexts(schema)
        .slice(0, 1)
        .map(({ value }) => [name, String(value)] as const),
    );
  const body = Object.entries(operation.body?.properties ?? {})
    .flatMap(([name, schema]) =>
      invalidValues(schema)
        .slice(0, 1)
        .map(({ value }) => [name, value] as const),
    )
    .slice(0, AT_ONCE);
  const hasBody = operation.method !== 'GET';
  return {
    call: {
      path,
      query: { ...Object.fromEntries(query), ...UNKNOWN },
      ...(hasBody ? { body: { ...Object.fromEntries(body), ...UNKNOWN_MEMBERS } } : {}),
    },
    places: [
      ...[...Object.keys(path), ...query.map(([name]) => name), ...Object.keys(UNKNOWN)],
      ...(hasBody ? [...body.map(([name]) => name), 'nonsense', 'a~1b~0c', 'constructor', 'tenantId'] : []).map(
        (name) => `/${name}`,
      ),
    ],
  };
}

describe.each(operations)('$name', (operation) => {
  it('lists the failures of all its parts, and writes nothing', async () => {
    await withoutEffect(bare, async () => {
      const { call, places } = wrongCall(operation);
      const failures = failuresOf(await send(bare.api, operation, call), 'everything');
      const found = failures
        .filter(({ code }) => code !== 'required')
        .map(({ parameter, pointer }) => parameter ?? /^\/[^/]*/.exec(pointer!)![0]);
      expect([...new Set(found)].sort()).toEqual(places.sort());
      const unknown = failures.filter(({ code }) => code.startsWith('unknown_'));
      expect(unknown.map(({ parameter, pointer }) => parameter ?? pointer)).toEqual(
        expect.arrayContaining([
          ...Object.keys(UNKNOWN),
          ...(call.body ? ['/nonsense', '/a~1b~0c', '/constructor', '/tenantId'] : []),
        ]),
      );
    });
  });

  it('returns 404 for an unknown id and 405 for an unsupported method', async () => {
    if (operation.path.includes('{')) {
      const call = await prepared(operation);
      expect(
        await send(scene.api, operation, { ...call, path: { ...(call.path?.['id'] ? call.path : {}), id: NOWHERE } }),
      ).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const answer = await bare.api.send('PUT', urlOf(operation, {}), {});
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')!.split(', ')).toContain(operation.method);
  });
});

/** The parameters of which an operation takes one value. */
const singlesOf = (operation: Operation) =>
  parametersIn(operation, 'query').filter(({ schema }) => typeOf(schema) !== 'array');

it.each(sampleOf(operations.filter((operation) => singlesOf(operation).length > 0)))(
  '$name refuses a repeated parameter',
  async (operation) => {
    const call = await prepared(operation);
    await withoutEffect(scene, async () => {
      for (const { name } of singlesOf(operation).slice(0, 3)) {
        const { [name]: _, ...besides } = call.query ?? {};
        const url = urlOf(operation, { ...call, query: besides });
        const repeated = `${url}${url.includes('?') ? '&' : '?'}${name}=1&${name}=2`;
        const answer = await scene.api.send(operation.method, repeated, call.body);
        expect(failuresOf(answer, `${name} twice`)).toMatchObject([{ parameter: name, code: 'repeated_parameter' }]);
      }
    });
  },
);

const lists = operations.filter(
  ({ id, parameters: all }) => all.some(({ name }) => name === 'cursor') && !OF_SESSIONS.has(id),
);

it.each(lists)('$name has pages of 50, and refuses cursors that it did not issue', async (operation) => {
  const ask = (wrong: Call) => send(scene.api, operation, wrong);
  await prepared(operation);
  const listed = await callOf(operation, scene);
  const page = await send<{ page: { nextCursor: string } }>(scene.api, operation, {
    ...listed,
    query: { ...listed.query, limit: '1' },
  });
  expect(await ask(listed)).toMatchObject({ body: { page: { limit: 50 } } });
  const cursor = page.body.page.nextCursor;
  const flipped = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
  const sort = operation.parameters.find(({ name }) => name === 'sort');
  const sorts = sort?.schema.items?.enum as string[] | undefined;
  const filter = operation.parameters.find(({ name }) => /^(createdAt|from|asOf|q$|principalType)/.test(name));
  const another =
    filter?.schema.format === 'date'
      ? '2026-01-01'
      : ((filter?.schema.enum as string[] | undefined)?.[0] ?? '2026-01-01T00:00:00Z');
  await withoutEffect(scene, async () => {
    for (const query of [
      ...['AAAA', 'x', flipped, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`].map((each) => ({ cursor: each })),
      ...(filter ? [{ cursor, [filter.name]: another }] : []), // a list may have no filters
    ]) {
      const { status, body } = await ask({ ...listed, query: { ...listed.query, limit: '1', ...query } });
      expect({ query, status, code: body['code'] }).toEqual({ query, status: 400, code: 'cursor_invalid' });
    }
  });
  // The cursor is valid only for the default sort, named or not.
  const documented = /`([\w,-]+)` if not given/.exec(sort?.description ?? '')?.[1];
  for (const term of sorts ?? [documented]) {
    const query = { ...listed.query, limit: '1', cursor, ...(term === undefined ? {} : { sort: term }) };
    const { status } = await ask({ ...listed, query });
    expect({ sort: term, status }).toEqual({ sort: term, status: !sort || term === documented ? 200 : 400 });
  }
  expect(await ask({ ...listed, query: { ...listed.query, limit: '1', cursor } })).toMatchObject({ status: 200 });
});

describe('a short path', () => {
  it.each(short)('validates like its long one: $name', async (operation) => {
    const good = await prepared(operation);
    await withoutEffect(scene, async () => {
      const answer = await send(scene.api, operation, { ...good, query: { nonsense: '1' } });
      expect(failuresOf(answer, 'an unknown parameter')).toMatchObject([{ code: 'unknown_parameter' }]);
    });
  });

  it.each(short.filter(({ body }) => body !== null))('validates bodies like its long one: $name', async (operation) => {
    const good = await prepared(operation);
    await withoutEffect(scene, async () => {
      const body = { ...good.body, nonsense: 1 };
      expect(failuresOf(await send(scene.api, operation, { ...good, body }), 'an unknown member')).toMatchObject([
        { pointer: '/nonsense', code: 'unknown_field' },
      ]);
    });
  });
});

it.each(sampleOf(withoutBody))('$name takes an empty body for none', async (operation) => {
  const call = await prepared(operation);
  const answer = await send(scene.api, operation, { ...call, body: {} });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: operation.success });
});

describe.each(sampleOf(withBody))('$name', (operation) => {
  let call: Call;
  beforeAll(async () => {
    call = await prepared(operation);
  });

  const [member] = Object.keys(operation.body!.properties!) as [string];
  const raw = (body: string | Buffer, type = 'application/json'): Promise<Answer> =>
    scene.api.send(operation.method, urlOf(operation, call), body, { 'content-type': type });

  it('refuses bodies that are not objects', async () => {
    await withoutEffect(scene, async () => {
      for (const text of ['[]', '"x"', '1', 'true', 'null'])
        expect(failuresOf(await raw(text), text)).toMatchObject([{ pointer: '' }]);
    });
  });

  it('refuses bodies that parsers read differently', async () => {
    const deep = `{"${member}":${'['.repeat(40)}${']'.repeat(40)}}`;
    const bodies: (string | Buffer)[] = [
      '{',
      '{"a":1,}',
      `{"${member}":1,"${member}":1}`,
      `{"${member}":{"x":1,"x":2}}`,
      '{"__proto__":{"admin":true}}',
      `{"${member}":{"__proto__":1}}`,
      deep,
      'NaN',
      Buffer.from([0x7b, 0xff, 0x7d]),
    ];
    await withoutEffect(scene, async () => {
      for (const body of bodies) {
        const answer = await raw(body);
        const outcome = { raw: String(body).slice(0, 60), status: answer.status, code: answer.body['code'] };
        expect(outcome).toEqual({ raw: outcome.raw, status: 400, code: 'malformed_json' });
      }
    });
  });

  /** Media types of forms, which few operations take. */
  const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

  it('refuses other media types and bodies that are too large', async () => {
    await withoutEffect(scene, async () => {
      for (const type of ['text/plain', 'application/xml', ...FORMS].filter(
        (each) => !operation.bodyTypes.includes(each),
      ))
        expect(await raw('{}', type)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      expect(await raw(JSON.stringify({ [member]: 'x'.repeat(1_048_577) }))).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large' },
      });
    });
  });
});
