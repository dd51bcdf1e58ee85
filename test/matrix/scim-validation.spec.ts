import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf } from './fixtures.js';
import { NOWHERE, type Operation } from './operations.js';
import {
  malformed,
  nextCursorOf,
  pageOfOne,
  problem,
  type Running,
  sceneOf,
  send,
  startRunning,
  urlOf,
} from './running.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/**
 * Request validation of every SCIM operation: lenient where identity providers need it (unknown parameters, ids in any
 * format), otherwise strict, with SCIM errors.
 */
const platform: Running = await startRunning();
const operations = platform.operations.filter(({ scim }) => scim);
const withBody = operations.filter(({ body }) => body !== null);
afterAll(() => platform.close());

let scene: TestTenant & Scene;
async function newScene(): Promise<void> {
  scene = sceneOf(platform, await platform.tenant(), 'validated');
}
beforeAll(newScene);

/** Runs requests that must not write anything. */
async function withoutEffect(work: () => Promise<void>): Promise<void> {
  const before = await fingerprintOf(platform.admin, scene.id);
  await work();
  expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
}

/** @throws when the response is not a SCIM error with this text. */
function expectError(operation: Operation, answer: Answer, status: number, scimType?: string): void {
  expect(answer).toMatchObject(problem(operation, status, ''));
  expect(answer.headers.get('content-type')).toMatch(/^application\/scim\+json\b/);
  expect(answer.body['detail']).toMatch(/\S/);
  if (scimType !== undefined) expect(answer.body['scimType']).toBe(scimType);
}

describe.each(operations)('$name', (operation) => {
  beforeAll(newScene);

  const ask = (call: Call) => send(scene.api, operation, call);

  it('ignores unknown parameters', async () => {
    const call = await callOf(operation, scene);
    const answer = await ask({ ...call, query: { ...call.query, nonsense: '1', aadOptscim062020: '' } });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: operation.success });
  });

  it('returns 404 for unknown ids in any format and 405 for other methods', async () => {
    const call = await callOf(operation, scene);
    await withoutEffect(async () => {
      for (const name of Object.keys(call.path ?? {}))
        for (const id of [NOWHERE, 'nonsense', NOWHERE.toUpperCase(), '%20', '%00'])
          expectError(operation, await ask({ ...call, path: { [name]: id } }), 404);
      const path = urlOf(operation, {});
      const taken = operations.filter((each) => each.path === operation.path).map(({ method }) => method);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !taken.includes(each as never))) {
        const answer = await scene.api.send(method, path, {});
        expectError(operation, answer, 405);
        expect(answer.headers.get('allow')!.split(', ')).toContain(operation.method);
      }
    });
  });

  it('accepts its path in any case and with a trailing slash', async () => {
    const call = await callOf(operation, scene);
    const [path = '', query] = urlOf(operation, call).split('?');
    const head = /^\/api\/scim\/v2\/[^/]+/;
    const other = path.replace(head, (text) => text.toLowerCase());
    const url = `${other}/${query === undefined ? '' : `?${query}`}`;
    const answer = await scene.api.send(operation.method, url, call.body);
    expect({ url, status: answer.status }).toEqual({ url, status: operation.success });
  });
});

const lists = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'cursor'));

it.each(lists)('$name refuses cursors that it did not issue', async (operation) => {
  await newScene();
  const ask = (query: Record<string, string>) => send(scene.api, operation, { ...call, query });
  await callOf(operation, scene);
  const call = await callOf(operation, scene);
  const cursor = nextCursorOf(await ask(pageOfOne(operation)))!;
  const flipped = (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1);
  for (const each of ['x', flipped, cursor.slice(0, -1), `${cursor}A`])
    expectError(operation, await ask(pageOfOne(operation, each)), 400, 'invalidCursor');
  const filtered = { ...pageOfOne(operation, cursor), filter: 'id pr' };
  expectError(operation, await ask(filtered), 400, 'invalidCursor');
  expect((await ask(pageOfOne(operation, cursor))).status).toBe(200);
});

describe.each(withBody)('$name', (operation) => {
  beforeAll(newScene);

  const raw = (call: Call, body: string | Uint8Array, type = 'application/scim+json') =>
    scene.api.send(operation.method, urlOf(operation, call), body, { 'content-type': type });

  it('refuses invalid attribute values', async () => {
    const call = await callOf(operation, scene);
    await withoutEffect(async () => {
      for (const each of malformed(operation, call))
        expectError(operation, await send(scene.api, operation, each), 400);
    });
  });

  it('refuses bodies that are not objects or that parsers read differently', async () => {
    const call = await callOf(operation, scene);
    await withoutEffect(async () => {
      for (const body of ['', '[]', '"x"', '1', 'null', '{', '{"a":1,"a":2}', '{"__proto__":{}}', 'NaN'])
        expectError(operation, await raw(call, body), 400, 'invalidSyntax');
      expectError(operation, await raw(call, Buffer.from([0x7b, 0xff, 0x7d])), 400, 'invalidSyntax');
    });
  });

  it('accepts the SCIM media type and plain JSON only', async () => {
    for (const type of [
      'application/scim+json',
      'application/json; charset=utf-8',
      'APPLICATION/SCIM+JSON; charset=UTF-8',
    ]) {
      const call = await callOf(operation, scene);
      expect((await raw(call, JSON.stringify(call.body), type)).status).toBe(operation.success);
    }
    const call = await callOf(operation, scene);
    await withoutEffect(async () => {
      for (const type of ['text/plain', 'application/xml', 'application/scim+json; charset=latin1'])
        expectError(operation, await raw(call, '{}', type), 415);
      expectError(operation, await raw(call, 'x'.repeat(1_048_577)), 413);
    });
  });
});
