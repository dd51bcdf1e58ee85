import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { operationPrefix } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { LEAVE_CLAIM } from '../harness/stored-keys.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf, fixtureOf } from './fixtures.js';
import { inputJudge } from './judged-inputs.js';
import { changeKey, makeKey } from './keys.js';
import { type Json, KEYLESS_POSTS, NOWHERE, type Operation, SAFE_POSTS, type Schema } from './operations.js';
import { credentialFor, effectsOf, malformed, problem, type Running, sceneOf, send, startRunning } from './running.js';
import { firstOfEach, isProving, sampleOf, topicOf } from './sample.js';
import { contentOf, fingerprintOf, textOf } from './tenant-fingerprint.js';

/** Idempotency of every operation that accepts a key; public ones are tested in test/e2e/requests/open-keys.spec.ts. */
const platform: Running = await startRunning();
const operations = platform.operations.filter(({ idempotent, open }) => idempotent && !open);
afterAll(() => platform.close());
const judge = inputJudge(platform.app);

/** Response members that contain a secret. */
const SECRETS = ['secret', 'token', 'apiKey', 'clientSecret', 'publicUrl'];
const PARALLEL = 100;
let scene: TestTenant & Scene;
/** One tenant per operation, because all rows of the tenant are compared and must not accumulate. */
async function newScene(): Promise<void> {
  scene = sceneOf(platform, await platform.tenant(), 'idempotent');
  await scene.api.get('/api/v1/sales/pipelines');
}
beforeAll(newScene);

const keyed = (key = randomUUID() as string) => ({ 'idempotency-key': key });
const isReplay = (answer: Answer): boolean => answer.headers.get('idempotent-replayed') === 'true';

function expectReplay(answer: Answer, first: Answer): void {
  expect(isReplay(answer)).toBe(true);
  expect({ status: answer.status, text: answer.text }).toEqual({ status: first.status, text: first.text });
  for (const name of ['etag', 'location']) expect(answer.headers.get(name)).toBe(first.headers.get(name));
  expect(answer.headers.get('content-type')).toBe(first.headers.get('content-type'));
}

/** The same call with another valid body; null when there is none. */
function variation(operation: Operation, call: Call): Call | null {
  for (const [name, schema] of Object.entries(operation.body?.properties ?? {})) {
    const other = otherValue(schema, call.body?.[name], call);
    if (other === undefined) continue;
    const varied = { ...call, body: { ...call.body, [name]: other } };
    if (judge(operation, varied).length === 0) return varied;
  }
  return null;
}

/** Another value of a member; undefined when there is none. */
function otherValue(schema: Schema, value: unknown, call: Call): unknown {
  if (schema.type === 'boolean') return value !== true;
  if (typeof value === 'string' && isFreeText(schema) && new RegExp(schema.pattern ?? '', 'u').test(`${value}2`))
    return `${value}2`;
  if ([schema.type].flat().includes('integer') && !schema.enum)
    return value === schema.minimum ? schema.minimum! + 1 : (schema.minimum ?? 0);
  if (schema.enum && !call.body?.['status']) return schema.enum.find((each) => each !== value);
  if (schema.format === 'date') return '2031-01-02';
  return schema.format === 'date-time' ? '2026-01-02T03:00:00Z' : undefined;
}

const isFreeText = (schema: Schema): boolean =>
  [schema.type].flat().includes('string') && !schema.enum && !schema.format;

it('accepts a key for every write', () => {
  const writes = platform.operations.filter(({ method }) => ['POST', 'PUT', 'PATCH'].includes(method));
  const keyless = writes.filter(({ id, idempotent }) => !idempotent && !KEYLESS_POSTS.has(id)).map(({ id }) => id);
  expect(keyless).toEqual([]);
});

/**
 * Requests by POST that state what shall be, or ask: repeated, they answer 2xx and change nothing, as PATCH and PUT do.
 * Every other one is an action.
 */
const STATEMENTS: Record<string, string> = {
  'admin.outbox.command': 'tells how many entries were affected',
  'admin.retention.command': 'values of a policy',
  'admin.scim.command': 'values of a connection',
  'admin.slo.reconcile': 'counts again',
  'ai.estimate': 'a question',
  'ai.jobs.feedback': 'given again, it is another version even if it says the same',
  'auth.logout': 'ends what is there',
  'people.employees.reveal': 'a question',
  'scim.bulk': 'the protocol',
  'scim.search': 'a question',
  'scim.users.search': 'a question',
  'scim.groups.search': 'a question',
  'webhooks.endpoints.test_filter': 'a question',
};
const isAction = ({ id, method }: Operation): boolean =>
  method === 'POST' && !SAFE_POSTS.has(id) && !(id in STATEMENTS);
/** Members of answers that tell that nothing was changed. */
const UNCHANGED = ['"changed":false', '"ok":false'];

// Short paths are rewritten to the long ones before routing; see the test of both below.
const routes = operations.filter(({ alias }) => !alias);

describe.each(routes)('$name', (operation) => {
  beforeAll(newScene);

  const ask = (call: Call, headers: Record<string, string>) => send(scene.api, operation, call, headers);
  /** All rows of the tenant except the audit rows of replays. */
  const stateOf = async () => {
    const { 'data.audit_log': audit, ...rest } = await fingerprintOf(platform.admin, scene.id);
    return fixtureOf(operation).shows ? rest : { ...rest, audit };
  };

  let call: Call;

  it('repeats its response without a second effect', async () => {
    call = await callOf(operation, scene);
    const key = randomUUID();
    const first = await ask(call, keyed(key));
    expect({ status: first.status, body: first.body }).toMatchObject({ status: operation.success });
    expect(isReplay(first)).toBe(false);
    const before = await stateOf();
    const { audit } = await effectsOf(platform.admin, scene.id);
    const reordered = call.body ? { ...call, body: Object.fromEntries(Object.entries(call.body).reverse()) } : call;
    for (const [each, header] of [
      [call, key],
      [call, `"${key}"`],
      [reordered, key],
    ] as const)
      expectReplay(await ask(each, keyed(header)), first);
    expect(await stateOf()).toEqual(before);
    expect((await effectsOf(platform.admin, scene.id)).audit - audit).toBe(fixtureOf(operation).shows ? 3 : 0);
    for (const secret of SECRETS.map((member) => first.body[member]).filter((each) => typeof each === 'string')) {
      expect(await textOf(platform.admin, scene.id)).not.toContain(secret);
      expect(fixtureOf(operation).shows).toBe(true); // a replayed secret must be audited
    }
  });

  if (isAction(operation))
    it('is refused without a key, changes something, or tells that it changed nothing', async () => {
      const again = await ask(call, {});
      if (again.status >= 400) return expect(again.status).toBeLessThan(500);
      const before = await contentOf(platform.admin, scene.id);
      const effects = await effectsOf(platform.admin, scene.id);
      const { status, text } = await ask(call, {});
      const isUnchanged = isDeepStrictEqual(await contentOf(platform.admin, scene.id), before);
      const isTold = UNCHANGED.some((member) => text.includes(member));
      expect({ status, isUnchanged, isTold }).toEqual({
        status: operation.success,
        isUnchanged,
        isTold: isUnchanged,
      });
      if (isUnchanged) expect(await effectsOf(platform.admin, scene.id)).toEqual(effects);
    });
});

const proving = routes.filter((operation) => isProving(topicOf(operation)));
const types = new Set(platform.app.get(ResourceRegistry).all().map(operationPrefix));
/** The kit behaves the same for all types, so each verb is tried with one of them. */
const verbOf = (operation: Operation): string =>
  types.has(topicOf(operation)) ? operation.id.slice(operation.id.lastIndexOf('.')) : operation.id;

describe.each(firstOfEach(proving, verbOf))('$name', (operation) => {
  beforeAll(newScene);

  const effects = () => fixtureOf(operation).effects ?? { audit: 1, events: 1 };
  const ask = (call: Call, headers: Record<string, string>) => send(scene.api, operation, call, headers);

  it(`has one effect for ${PARALLEL} concurrent requests with one key`, async () => {
    const call = await callOf(operation, scene);
    const before = await effectsOf(platform.admin, scene.id);
    const key = keyed();
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => ask(call, key)));
    const after = await effectsOf(platform.admin, scene.id);
    const shown = fixtureOf(operation).shows ? answers.filter(isReplay).length : 0;
    const grown = { audit: after.audit - before.audit - shown, events: after.events - before.events };
    expect(grown).toEqual(effects());
    const done = answers.filter(({ status }) => status === operation.success);
    expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== operation.success)) {
      expect(answer).toMatchObject(problem(operation, 409, 'idempotency_in_progress'));
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(isReplay(await ask(call, key))).toBe(true);
  });
});

describe.each(sampleOf(routes))('$name', (operation) => {
  beforeAll(newScene);

  const ask = (call: Call, headers: Record<string, string>) => send(scene.api, operation, call, headers);

  it('refuses the key for another request', async () => {
    const call = await callOf(operation, scene);
    const key = keyed();
    expect((await ask(call, key)).status).toBe(operation.success);
    const others = [variation(operation, call), call.path ? { ...call, path: { id: NOWHERE } } : null];
    // Without a body or parameters there is no different request.
    if (operation.body || call.path) expect(others.filter((other) => other !== null).length).toBeGreaterThan(0);
    const before = await fingerprintOf(platform.admin, scene.id);
    for (const other of others) {
      if (!other) continue;
      const { status, body } = await ask(other, key);
      expect({ other, status, body }).toMatchObject(problem(operation, 422, 'idempotency_key_reused'));
    }
    expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
  });

  it('refuses the key immediately while it is claimed, and runs again when the claim expires', async () => {
    const call = await callOf(operation, scene);
    const key = keyed();
    await ask(call, key);
    const claim = (lasts: string) => platform.admin.query(LEAVE_CLAIM, [scene.id, key['idempotency-key'], lasts]);
    await claim('1 minute');
    const before = await fingerprintOf(platform.admin, scene.id);
    const refused = await ask(call, key);
    expect(refused).toMatchObject(problem(operation, 409, 'idempotency_in_progress'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
    await claim('-1 second');
    const run = await ask(call, key);
    expect(run.body).not.toMatchObject({ code: 'idempotency_in_progress' });
    expect(isReplay(run)).toBe(false);
    expect(isReplay(await ask(call, key))).toBe(true);
  });

  it('runs again after 10 minutes', async () => {
    const call = await callOf(operation, scene);
    const key = keyed();
    await ask(call, key);
    const age = (minutes: number) =>
      platform.admin.query(
        `update data.idempotency_keys set completed_at = now() - make_interval(mins => $3) where tenant_id = $1 and key = $2`,
        [scene.id, key['idempotency-key'], minutes],
      );
    await age(9);
    expect(isReplay(await ask(call, key))).toBe(true);
    await age(11);
    expect(isReplay(await ask(call, key))).toBe(false);
  });

  it('stores decisions of the operation, including 404, 409 and 412', async () => {
    const call = await callOf(operation, scene);
    const decided: [Call, Record<string, string>][] = [];
    if (call.path) decided.push([{ ...call, path: { id: NOWHERE } }, {}]);
    if (operation.parameters.some(({ name }) => name === 'If-Match')) decided.push([call, { 'if-match': '"999"' }]);
    const repeated = await callOf(operation, scene);
    await ask(repeated, {});
    decided.push([repeated, {}]);
    for (const [each, headers] of decided) {
      const key = keyed();
      const first = await ask(each, { ...key, ...headers });
      expect([operation.success, 404, 409, 412]).toContain(first.status);
      const second = await ask(each, { ...key, ...headers });
      expectReplay(second, first);
      expect(second.body).toEqual(first.body);
    }
  });

  it('does not store invalid requests: 400', async () => {
    const call = await callOf(operation, scene);
    const key = keyed();
    for (const each of malformed(operation, call)) expect((await ask(each, key)).status).toBe(400);
    const answer = await ask(call, key);
    expect({ status: answer.status, replay: isReplay(answer) }).toEqual({ status: operation.success, replay: false });
  });

  if (operation.scopes.length > 0)
    it('does not store missing scopes: 403', async () => {
      const call = await callOf(operation, scene);
      const key = keyed();
      const made = await makeKey(platform.admin, scene.id, { scopes: ['usage:read'] });
      const headers = { 'x-api-key': made.text, ...key };
      const denied = await send(platform.anonymous(), operation, call, headers);
      expect(denied.status).toBe(403);
      await changeKey(platform.admin, made, { scopes: ['*'] });
      const answer = await send(platform.anonymous(), operation, call, headers);
      expect({ status: answer.status, replay: isReplay(answer) }).toEqual({ status: operation.success, replay: false });
    });

  it('separates keys of different credentials', async () => {
    const call = await callOf(operation, scene);
    const key = keyed();
    expect((await ask(call, key)).status).toBe(operation.success);
    const { text } = await makeKey(platform.admin, scene.id, operation.scim ? { kind: 'scim_token', scopes: [] } : {});
    const other = await callOf(operation, scene);
    const headers = { ...key, ...credentialFor(operation, text) };
    const answer = await send(platform.anonymous(), operation, other, headers);
    expect({ status: answer.status, replay: isReplay(answer) }).toEqual({ status: operation.success, replay: false });
  });

  it('refuses invalid keys', async () => {
    const call = await callOf(operation, scene);
    const before = await fingerprintOf(platform.admin, scene.id);
    for (const key of ['', 'x'.repeat(256), 'with space', 'tab\tulator', 'ümlaut', '""']) {
      const answer = await ask(call, keyed(key));
      const { status, body } = answer;
      expect({ key, status, body }).toMatchObject({ key, ...problem(operation, 400, 'idempotency_key_invalid') });
    }
    expect(await fingerprintOf(platform.admin, scene.id)).toEqual(before);
    expect((await ask(call, keyed(`${randomUUID()}${'~'.repeat(255)}`.slice(0, 255)))).status).toBe(operation.success);
  });
});

describe('a short path and its long one', () => {
  const short = operations.filter(({ alias }) => alias);

  it.each(short)('$name shares its keys with the long one', async (operation) => {
    const long = operations.find(({ id, alias }) => id === operation.id && !alias)!;
    const call = await callOf(operation, scene);
    const key = keyed();
    const first = await send(scene.api, operation, call, key);
    expect(first.status).toBe(operation.success);
    expectReplay(await send(scene.api, long, call, key), first);
    const others: Json = { ...call.body, nonsense: 1 };
    expect((await send(scene.api, long, { ...call, body: others }, key)).status).toBe(400);
  });
});
