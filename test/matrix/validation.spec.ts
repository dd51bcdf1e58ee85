import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { invalidTexts, type InvalidValue, invalidValues, withMember } from './invalid-values.js';
import { type Json, OF_SESSIONS, type Operation, type Schema, typeOf } from './operations.js';
import { NOWHERE, type Running, sceneOf, send, startRunning, urlOf } from './running.js';
import { isProving, sampleOf, topicOf } from './sample.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/** Invalid requests get a 400 that lists every failure, and nothing is written. */
const platform: Running = await startRunning();
/** A short path is the same route, so each value is tried on one of the two. SCIM has a separate suite. */
const operations = platform.operations.filter(({ open, alias, scim }) => !open && !alias && !scim);
const short = platform.operations.filter(({ alias }) => alias);
const withBody = operations.filter(({ body }) => body !== null);
const withoutBody = operations.filter(({ body, method }) => body === null && method !== 'GET');
afterAll(() => platform.close());

let scene: TestTenant & Scene;
/** One tenant per operation, because all rows of the tenant are compared and must not accumulate. */
async function newScene(): Promise<void> {
  scene = sceneOf(platform, await platform.tenant(), 'validated');
  await scene.api.get('/api/v1/sales/pipelines');
  await scene.api.get('/api/admin/audit-logs');
}

interface Failure {
  pointer?: string;
  parameter?: string;
  header?: string;
  code: string;
  detail: string;
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

/** A failure has a code and exactly one location; its detail is text, not a pattern. */
function isWellFormed(error: Failure): boolean {
  const places = ['pointer', 'parameter', 'header'].filter((each) => each in error);
  return /^[a-z]+(_[a-z]+)*$/.test(error.code) && places.length === 1 && !/[\^\\]/.test(error.detail);
}

/** Runs requests that must not write anything. */
async function withoutEffect(work: () => Promise<void>): Promise<void> {
  const before = await fingerprintOf(platform.admin, scene.id);
  await work();
  expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
}

/** Kinds of values already tried in full. */
const tried = new Set<string>();

/** Values outside a schema: all for the first occurrence of a kind, then one, which shows that it is checked. */
function triedOf(schema: Schema, valuesOf: (schema: Schema) => InvalidValue[]): InvalidValue[] {
  const { description: _, examples: __, ...kind } = schema as Schema & { description?: string };
  const key = `${valuesOf.name} ${JSON.stringify(kind)}`;
  const isKnown = tried.has(key);
  tried.add(key);
  return isKnown ? valuesOf(schema).slice(0, 1) : valuesOf(schema);
}

const parameters = (operation: Operation, place: 'path' | 'query') =>
  operation.parameters.filter((each) => each.in === place);

/** The valid call that each test makes invalid. Refused calls have no effect, so it can be reused. */
let call: Call;
const known = new Map<Operation, { scene: TestTenant & Scene; call: Call }>();
async function enter(operation: Operation): Promise<void> {
  if (!known.has(operation)) {
    await newScene();
    known.set(operation, { scene, call: await callOf(operation, scene) });
  }
  ({ scene, call } = known.get(operation)!);
}

describe.each(operations)('$name', (operation) => {
  beforeAll(() => enter(operation));

  const ask = (wrong: Call) => send(scene.api, operation, wrong);

  it('refuses unknown parameters and lists all of them', async () => {
    await withoutEffect(async () => {
      const query = { ...call.query, nonsense: '1', 'name[like]': 'x', __proto: '1' };
      const failures = failuresOf(await ask({ ...call, query }), 'unknown parameters');
      expect(failures.filter(({ code }) => code === 'unknown_parameter').map(({ parameter }) => parameter)).toEqual([
        'nonsense',
        'name[like]',
        '__proto',
      ]);
    });
  });

  const queries = parameters(operation, 'query').filter(({ name }) => name !== 'cursor');
  if (queries.length > 0)
    it('refuses invalid parameter values', async () => {
      /** The other required parameters. */
      const besides = (name: string) =>
        Object.fromEntries(
          queries.flatMap((other) =>
            other.required && other.name !== name ? [[other.name, call.query![other.name]!]] : [],
          ),
        );

      await withoutEffect(async () => {
        for (const { name, schema } of queries) {
          for (const { name: what, value } of triedOf(schema, invalidTexts)) {
            const failures = failuresOf(
              await ask({ ...call, query: { ...besides(name), [name]: String(value) } }),
              `${name}: ${what}`,
            );
            expect(failures).toMatchObject([{ parameter: name }]);
          }
          if (typeOf(schema) === 'array' || !isProving(topicOf(operation))) continue;
          const url = urlOf(operation, { ...call, query: besides(name) });
          const repeated = `${url}${url.includes('?') ? '&' : '?'}${name}=1&${name}=2`;
          const answer = await scene.api.send(operation.method, repeated, call.body);
          expect(failuresOf(answer, `${name} twice`)).toMatchObject([{ parameter: name, code: 'repeated_parameter' }]);
        }
      });
    });

  const ids = parameters(operation, 'path');
  if (ids.length > 0)
    it('refuses malformed ids in its path', async () => {
      await withoutEffect(async () => {
        for (const { name, schema } of ids)
          for (const { value } of triedOf(schema, invalidTexts)) {
            const text = encodeURIComponent(String(value).toWellFormed()) || '%20';
            const answer = await ask({ ...call, path: { ...call.path, [name]: text } });
            expect(failuresOf(answer, text)).toMatchObject([{ parameter: name, code: 'invalid_id' }]);
          }
      });
    });

  it('returns 404 for an unknown id and 405 for an unsupported method', async () => {
    if (operation.path.includes('{'))
      expect(await ask({ ...call, path: { ...(call.path?.['id'] ? call.path : {}), id: NOWHERE } })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    const answer = await scene.api.send('PUT', urlOf(operation, {}), {});
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(answer.headers.get('allow')!.split(', ')).toContain(operation.method);
  });
});

describe.each(sampleOf(operations))('$name', (operation) => {
  beforeAll(() => enter(operation));

  it('reports failures in every part of the request', async () => {
    await withoutEffect(async () => {
      const answer = await send(scene.api, operation, {
        ...call,
        ...(call.path ? { path: { id: 'NONSENSE' } } : {}),
        query: { ...call.query, nonsense: '1' },
        ...(operation.body ? { body: { ...call.body, nonsense: 1, more: 2 } } : {}),
      });
      const failures = failuresOf(answer, 'everything');
      const codes = failures.map(({ code }) => code).sort();
      expect(codes).toEqual(
        [
          ...(call.path ? ['invalid_id'] : []),
          'unknown_parameter',
          ...(operation.body ? ['unknown_field', 'unknown_field'] : []),
        ].sort(),
      );
    });
  });
});

const lists = operations.filter(
  ({ id, parameters: all }) => all.some(({ name }) => name === 'cursor') && !OF_SESSIONS.has(id),
);

it.each(lists)('$name has pages of 50, and refuses cursors that it did not issue', async (operation) => {
  await newScene();
  const ask = (wrong: Call) => send(scene.api, operation, wrong);
  await callOf(operation, scene);
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
  await withoutEffect(async () => {
    for (const query of [
      ...['AAAA', 'x', flipped, cursor.slice(0, -1), `${cursor}A`, `${cursor}=`].map((each) => ({ cursor: each })),
      ...(filter ? [{ cursor, [filter.name]: another }] : []), // a list may have no filters
    ]) {
      const { status, body } = await ask({ ...listed, query: { ...listed.query, limit: '1', ...query } });
      expect({ query, status, code: body['code'] }).toEqual({ query, status: 400, code: 'cursor_invalid' });
    }
  });
  // The cursor is valid only for the default sort, named or not.
  const statuses = [];
  for (const term of sorts ?? [''])
    statuses.push(
      (await ask({ ...listed, query: { ...listed.query, limit: '1', cursor, ...(sorts ? { sort: term } : {}) } }))
        .status,
    );
  const usual = sort === undefined || /`[\w-]+(,[\w-]+)*` if not given/.test(sort.description ?? '') ? 1 : 0;
  expect(statuses.filter((status) => status === 200)).toHaveLength(usual);
  expect(statuses.filter((status) => status === 400)).toHaveLength((sorts?.length ?? 1) - usual);
  expect(await ask({ ...listed, query: { ...listed.query, limit: '1', cursor } })).toMatchObject({ status: 200 });
});

describe('a short path', () => {
  beforeAll(newScene);

  it.each(short)('validates like its long one: $name', async (operation) => {
    const good = await callOf(operation, scene);
    await withoutEffect(async () => {
      const answer = await send(scene.api, operation, { ...good, query: { nonsense: '1' } });
      expect(failuresOf(answer, 'an unknown parameter')).toMatchObject([{ code: 'unknown_parameter' }]);
    });
  });

  it.each(short.filter(({ body }) => body !== null))('validates bodies like its long one: $name', async (operation) => {
    const good = await callOf(operation, scene);
    await withoutEffect(async () => {
      const body = { ...good.body, nonsense: 1 };
      expect(failuresOf(await send(scene.api, operation, { ...good, body }), 'an unknown member')).toMatchObject([
        { pointer: '/nonsense', code: 'unknown_field' },
      ]);
    });
  });
});

describe.each(withoutBody)('$name', (operation) => {
  beforeAll(() => enter(operation));

  it('refuses a body', async () => {
    await withoutEffect(async () => {
      const failures = failuresOf(await send(scene.api, operation, { ...call, body: { nonsense: 1 } }), 'a body');
      expect(failures).toMatchObject([{ pointer: '/nonsense', code: 'unknown_field' }]);
    });
    const answer = await send(scene.api, operation, { ...call, body: {} });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: operation.success });
  });
});

describe.each(withBody)('$name', (operation) => {
  beforeAll(() => enter(operation));

  const schema = operation.body!;
  const members = Object.entries(schema.properties!);
  const ask = (body: Json) => send(scene.api, operation, { ...call, body });

  it('refuses unknown members', async () => {
    await withoutEffect(async () => {
      const body = { ...call.body, nonsense: 1, 'a/b~c': 2, constructor: 3, tenantId: NOWHERE };
      const failures = failuresOf(await ask(body), 'unknown members');
      expect(failures.map(({ pointer, code }) => [pointer, code])).toEqual([
        ['/nonsense', 'unknown_field'],
        ['/a~1b~0c', 'unknown_field'],
        ['/constructor', 'unknown_field'],
        ['/tenantId', 'unknown_field'],
      ]);
    });
  });

  it('refuses invalid member values', async () => {
    await withoutEffect(async () => {
      for (const [name, member] of members)
        for (const { name: what, value } of triedOf(member, invalidValues)) {
          const failures = failuresOf(await ask(withMember(call.body ?? {}, name, value)), `${name}: ${what}`);
          const beside = failures.filter(({ pointer }) => !pointer!.startsWith(`/${name}`));
          expect({ what: `${name}: ${what}`, beside }).toEqual({ what: `${name}: ${what}`, beside: [] });
        }
    });
  });

  const required = schema.required ?? [];
  if (required.length > 0)
    it('reports every missing member', async () => {
      await withoutEffect(async () => {
        const failures = failuresOf(await ask({}), 'nothing');
        expect(failures.map(({ pointer, code }) => [pointer, code])).toEqual(
          required.map((each) => [`/${each}`, 'required']),
        );
      });
    });

  it('reports failures of several members', async () => {
    await withoutEffect(async () => {
      const wrong = members.flatMap(([name, member]) => {
        const [invalid] = invalidValues(member);
        return invalid ? [[name, invalid.value] as const] : [];
      });
      const failures = failuresOf(await ask(Object.fromEntries(wrong)), 'all');
      expect(new Set(failures.map(({ pointer }) => pointer))).toEqual(new Set(wrong.map(([name]) => `/${name}`)));
    });
  });
});

describe.each(sampleOf(withBody))('$name', (operation) => {
  beforeAll(() => enter(operation));

  const [member] = Object.keys(operation.body!.properties!) as [string];
  const raw = (body: string | Buffer, type = 'application/json'): Promise<Answer> =>
    scene.api.send(operation.method, urlOf(operation, call), body, { 'content-type': type });

  it('refuses bodies that are not objects', async () => {
    await withoutEffect(async () => {
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
    await withoutEffect(async () => {
      for (const body of bodies) {
        const answer = await raw(body);
        const outcome = { raw: String(body).slice(0, 60), status: answer.status, code: answer.body['code'] };
        expect(outcome).toEqual({ raw: outcome.raw, status: 400, code: 'malformed_json' });
      }
    });
  });

  it('refuses other media types and bodies that are too large', async () => {
    await withoutEffect(async () => {
      for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'])
        expect(await raw('{}', type)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
      expect(await raw(JSON.stringify({ [member]: 'x'.repeat(1_048_577) }))).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large' },
      });
    });
  });
});
