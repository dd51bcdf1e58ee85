import { crc32 } from 'node:zlib';
import { generateKey, parseKey } from '#libs/auth/api-key.js';
import { coveredBy, permissionNames } from '#libs/auth/permissions.js';
import { AUDITED } from '../harness/audit.js';
import type { Answer } from '../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import type { Call } from './fixture-parts.js';
import { callOf, fixtureOf } from './fixtures.js';
import { type KeyTerms, makeKey, changeKey, type TestKey } from './keys.js';
import type { Operation } from './operations.js';
import {
  credentialFor,
  effectsOf,
  fromSomewhere,
  problem,
  type Running,
  sceneOf,
  send,
  startRunning,
  urlOf,
} from './running.js';
import { firstOfEach, sampleOf } from './sample.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const platform: Running = await startRunning();
const operations = platform.operations.filter(({ open }) => !open);
/** Without short paths, which are rewritten to the long ones before any check. */
const routes = operations.filter(({ alias }) => !alias);
const guarded = operations.filter(({ scopes }) => scopes.length > 0);
afterAll(() => platform.close());

let tenant: TestTenant;
let scene: ReturnType<typeof sceneOf>;
let keys: Record<'api_key' | 'scim_token', Keys>;
beforeAll(async () => {
  tenant = await platform.tenant();
  scene = sceneOf(platform, tenant, 'auth');
  keys = { api_key: await makeKeys('api_key', 'scim_token'), scim_token: await makeKeys('scim_token', 'api_key') };
});

interface Keys {
  good: string;
  other: string;
  /** Invalid credentials by kind of fault. */
  refused: Record<string, string>;
}

type Kind = 'api_key' | 'scim_token';

/** Invalid credentials of one kind. A credential of another kind counts as none. */
async function makeKeys(kind: Kind, wrongKind: Kind): Promise<Keys> {
  const good = (await key({ kind })).text;
  const past = new Date(Date.now() - 1_000);
  return {
    good,
    other: (await key({ kind })).text,
    refused: {
      nonsense: 'nonsense',
      malformed: good.slice(0, -1) + (good.endsWith('0') ? '1' : '0'),
      unknown: generateKey(kind).text,
      otherSecret: withKeyId(kind, good),
      revoked: (await key({ kind, revokedAt: past })).text,
      expired: (await key({ kind, expiresAt: past })).text,
      wrongKind: (await key({ kind: wrongKind })).text,
    },
  };
}

/** A well-formed key with the id of another one but a different secret. */
function withKeyId(kind: Kind, text: string): string {
  const body = generateKey(kind)
    .text.replace(/(?<=^(?:top_live|scim)_)[0-9A-Za-z]{12}/, parseKey(text)!.keyId)
    .slice(0, -7);
  const sums = Array.from({ length: 6 }, (_, i) => Math.floor(crc32(body) / 62 ** (5 - i)) % 62);
  return `${body}_${sums.map((digit) => DIGITS[digit]).join('')}`;
}

const key = (terms?: KeyTerms): Promise<TestKey> => makeKey(platform.admin, tenant.id, terms);

/** Calls the operation with the given credential, on records that do not exist. */
function ask(operation: Operation, credential: Record<string, string>): Promise<Answer> {
  const headers = { ...fromSomewhere(), ...credential };
  return platform.anonymous().send(operation.method, urlOf(operation, {}), undefined, headers);
}

const besides = (operation: Operation): string[] => fixtureOf(operation).scopes ?? [];

/** Calls that read, by operation. They use nothing up, so each is made once. */
const readings = new Map<string, Call>();

/** Calls the operation so that it succeeds if the key has sufficient rights. */
async function succeed(operation: Operation, text: string): Promise<Answer> {
  const call = readings.get(operation.id) ?? (await callOf(operation, scene));
  if (operation.method === 'GET') readings.set(operation.id, call);
  return send(platform.anonymous(), operation, call, { ...fromSomewhere(), ...credentialFor(operation, text) });
}

function expectUnauthenticated(operation: Operation, answer: Answer): void {
  expect(answer).toMatchObject(problem(operation, 401, 'unauthenticated'));
  const [challenge, type] = operation.scim
    ? [/^Bearer realm="scim"(, error="invalid_token")?$/, /^application\/scim\+json\b/]
    : [/^Bearer realm=.*ApiKey realm=/, /^application\/problem\+json\b/];
  expect(answer.headers.get('www-authenticate')).toMatch(challenge);
  expect(answer.headers.get('content-type')).toMatch(type);
}

async function lastAudit(requestId: string): Promise<object[]> {
  const { rows } = await platform.admin.query<{ entry: string }>(
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and request_id = $2`,
    [tenant.id, requestId],
  );
  return rows.map(({ entry }) => JSON.parse(entry) as object);
}

describe.each(operations)('$name', (operation) => {
  it('requires a credential', async () => {
    expectUnauthenticated(operation, await ask(operation, {}));
    expectUnauthenticated(operation, await ask(operation, { 'x-api-key': '' }));
    expectUnauthenticated(operation, await ask(operation, { authorization: 'Basic dXNlcjpwYXNz' }));
    expectUnauthenticated(operation, await ask(operation, { 'x-tenant-slug': tenant.slug }));
    const { revoked } = keys[operation.scim ? 'scim_token' : 'api_key'].refused;
    expectUnauthenticated(operation, await ask(operation, credentialFor(operation, revoked!)));
  });
});

describe.each(sampleOf(routes))('$name', (operation) => {
  it('refuses invalid and no longer valid credentials', async () => {
    const { good, other, refused } = keys[operation.scim ? 'scim_token' : 'api_key'];
    expect(parseKey(refused['otherSecret']!)).toMatchObject({ keyId: parseKey(good)!.keyId });
    for (const text of Object.values(refused)) {
      expectUnauthenticated(operation, await ask(operation, { 'x-api-key': text }));
      const named = { authorization: `Bearer ${text}`, 'x-tenant-slug': tenant.slug };
      expectUnauthenticated(operation, await ask(operation, named));
    }
    // A token identifies its tenant and can only be sent in one way.
    const unnamed: Record<string, string> = operation.scim
      ? { 'x-api-key': good }
      : { authorization: `Bearer ${good}` };
    expectUnauthenticated(operation, await ask(operation, unnamed));
    const two = { 'x-api-key': good, authorization: `Bearer ${other}`, 'x-tenant-slug': tenant.slug };
    expectUnauthenticated(operation, await ask(operation, two));
    const bearer = await ask(operation, { authorization: `Bearer ${good}`, 'x-tenant-slug': tenant.slug });
    expect(bearer.status).not.toBe(401);
  });
});

describe.each(routes)('$name', (operation) => {
  it('is allowed with the declared scope', async () => {
    const kind = operation.scim ? 'scim_token' : 'api_key';
    const { text } = await key({ kind, scopes: operation.scim ? [] : [...operation.scopes, ...besides(operation)] });
    const { status, body } = await succeed(operation, text);
    expect({ status, body }).toMatchObject({ status: operation.success });
  });
});

/** Whether a scope is declared as an additional one of an operation. */
const isBeside = ({ besides: named }: Operation, scope: string): boolean =>
  named.includes(scope) || (named.includes('*:read') && scope.endsWith(':read'));

const conditional = operations.flatMap((operation) =>
  besides(operation)
    .filter((scope) => isBeside(operation, scope))
    .map((scope) => ({ operation, name: operation.name, scope })),
);

describe('declared additional scopes', () => {
  it('exist for operations on records of any type or of other members', () => {
    expect(conditional.length).toBeGreaterThan(15);
  });

  it.each(conditional)('$name is refused without $scope', async ({ operation, scope }) => {
    const { text } = await key({
      scopes: [...operation.scopes, ...besides(operation).filter((each) => each !== scope)],
    });
    const { body } = await succeed(operation, text);
    // With several records, each is refused individually.
    const single = (body['data'] as { error: object }[] | undefined)?.[0]?.error ?? body;
    // Data covered by the scope is left out without it. A record in the body that may not be seen is like an unknown one.
    const { code, errors = [] } = single as { code: string; errors?: { code: string }[] };
    const codes = code === 'validation_failed' ? errors.map((each) => each.code) : [code];
    expect(['permission_denied', 'not_found', 'unknown_reference']).toEqual(expect.arrayContaining(codes));
    if (single === body && body['code'] === 'permission_denied')
      expect(body).toMatchObject({ status: 403, requiredPermission: scope });
  });
});

describe.each(guarded)('$name', (operation) => {
  const needed = operation.scopes[0]!;

  it('is refused with all other scopes together, and the refusal is audited', async () => {
    const { id, text } = await key({ scopes: othersThan(operation) });
    const before = await effectsOf(platform.admin, tenant.id);
    const answer = await ask(operation, { 'x-api-key': text });
    expect(answer).toMatchObject({ status: 403, body: { code: 'permission_denied', requiredPermission: needed } });
    const requestId = answer.headers.get('x-request-id')!;
    expect(await lastAudit(requestId)).toMatchObject([
      {
        action: operation.id,
        outcome: 'denied',
        reason: 'permission_denied',
        actor: { type: 'api_key', id, name: 'test key' },
        requestId,
        tenantId: tenant.id,
      },
    ]);
    expect(await effectsOf(platform.admin, tenant.id)).toEqual({ audit: before.audit + 1, events: before.events });
  });
});

/** Permissions that do not allow an operation. */
function othersThan({ scopes: [needed], partialScopes }: Operation): string[] {
  return permissionNames().filter((each) => each !== needed && !partialScopes.includes(each));
}

const partial = guarded.filter(({ partialScopes }) => partialScopes.length > 0);

it.each(partial)('$name accepts a partial permission and limits the caller to that part', async (operation) => {
  for (const scope of operation.partialScopes) {
    const { text } = await key({ scopes: [scope, ...besides(operation)] });
    if (operation.method === 'GET') {
      expect(await succeed(operation, text)).toMatchObject({ status: operation.success });
      continue;
    }
    expect(await ask(operation, { 'x-api-key': text })).toMatchObject({
      status: operation.body ? 400 : 404, // it has no body, and names nothing
    });
    const beyond = { status: 403, body: { code: 'permission_denied', requiredPermission: operation.scopes[0] } };
    expect(await succeed(operation, text)).toMatchObject(beyond); // the fixture needs another part
  }
});

/** One operation per permission, because wildcards match by name. */
const permissions = firstOfEach(
  guarded.filter(({ alias }) => !alias),
  ({ scopes }) => scopes[0]!,
).map((operation) => {
  const [needed] = operation.scopes as [string];
  const [resource, action] = needed.split(':') as [string, string];
  return { operation, needed, resource, action };
});
/** Field permissions must be held by name: the right to read everything does not include sensitive fields. */
const isClassOfFields = ({ resource }: { resource: string }): boolean => resource.includes('.');

describe.each(permissions)('$needed', ({ operation, needed, resource, action }) => {
  const wildcards = [`${resource}:*`, `*:${action}`, '*'];

  it.each(isClassOfFields({ resource }) ? wildcards.filter((each) => each !== `*:${action}`) : wildcards)(
    'is included in %s',
    async (scope) => {
      const { text } = await key({ scopes: [scope, ...besides(operation)] });
      const { status, body } = await succeed(operation, text);
      expect({ scope, status, body }).toMatchObject({ status: operation.success });
    },
  );

  it('is not included in other wildcards, nor in an empty list of scopes', async () => {
    const parts = othersThan(operation).map((each) => each.split(':') as [string, string]);
    const beside = [
      ...new Set(parts.filter(([each]) => each !== resource).map(([each]) => `${each}:*`)),
      ...new Set(parts.filter(([, each]) => each !== action).map(([, each]) => `*:${each}`)),
    ];
    const suffices = (scope: string) => coveredBy([scope]).some((each) => operation.partialScopes.includes(each));
    const without = beside.filter((scope) => !suffices(scope));
    for (const scopes of [without, [], [needed.toUpperCase()], [`${needed} `], [`${resource}*`]])
      expect(await ask(operation, { 'x-api-key': (await key({ scopes })).text })).toMatchObject({ status: 403 });
  });
});

it.each(permissions.filter(isClassOfFields))('$needed is not included in *:$action', async ({ operation, action }) => {
  const { text } = await key({ scopes: [`*:${action}`, ...besides(operation)] });
  expect(await ask(operation, { 'x-api-key': text })).toMatchObject({ status: 403 });
});

describe('a key with a list of networks', () => {
  const operation = operations.find(({ id }) => id === 'sales.deals.list')!;
  const from = (text: string, address: string): Promise<Answer> =>
    platform.anonymous().send('GET', operation.path, undefined, { 'x-api-key': text, 'x-forwarded-for': address });

  it('works only from these networks, and the refusal is audited', async () => {
    const { id, text } = await key({ cidrs: ['10.9.0.0/16', '2001:db8::/48'] });
    for (const address of ['10.9.1.2', '2001:db8::5']) expect(await from(text, address)).toMatchObject({ status: 200 });
    for (const address of ['10.10.1.2', '2001:db9::5', '192.0.2.1']) {
      const answer = await from(text, address);
      expect(answer).toMatchObject({ status: 403, body: { code: 'ip_not_allowed' } });
      expect(await lastAudit(answer.headers.get('x-request-id')!)).toMatchObject([
        { action: 'auth.credential.refused', outcome: 'denied', reason: 'ip_not_allowed', target: { id } },
      ]);
    }
  });

  it('is restricted by a narrower list with the next request', async () => {
    const made = await key({ cidrs: ['10.9.0.0/16'] });
    expect(await from(made.text, '10.9.1.2')).toMatchObject({ status: 200 });
    await changeKey(platform.admin, made, { cidrs: ['10.9.2.0/24'] });
    expect(await from(made.text, '10.9.1.2')).toMatchObject({ status: 403, body: { code: 'ip_not_allowed' } });
    expect(await from(made.text, '10.9.2.2')).toMatchObject({ status: 200 });
  });
});

describe('a revoked right', () => {
  const ROUNDS = 200;
  const byId = (id: string): Operation => operations.find((each) => each.id === id && !each.alias)!;
  let second: TestPlatform;
  beforeAll(async () => {
    second = await startPlatform({ shared: platform.database });
  });
  afterAll(() => second.close());

  /** Requests that read one row, many rows, no rows, only code, and that write. */
  const REQUESTS: [string, Call][] = [
    ['sales.deals.list', {}],
    ['sales.deals.get', {}],
    ['sales.deals.create', { body: { name: 'Too late', value: 1 } }],
    ['webhooks.endpoints.list', {}],
    ['developer.event_schema.list', { query: { limit: '1' } }], // a page is the largest response
    ['sales.deals.win', { body: {} }],
  ];

  const on = (instance: TestPlatform, round: number, text: string): Promise<Answer> => {
    const [id, call] = REQUESTS[round % REQUESTS.length]!;
    const headers = { ...fromSomewhere(), 'x-api-key': text };
    return send(instance.anonymous(), byId(id), call, headers);
  };

  it(`is refused for the next request on every instance: revoked, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const made = await key();
      for (const instance of [platform, second])
        expect([200, 201, 404]).toContain((await on(instance, round, made.text)).status);
      await changeKey(platform.admin, made, { revokedAt: new Date() });
      const before = await effectsOf(platform.admin, tenant.id);
      const answers = await Promise.all([platform, second].map((instance) => on(instance, round, made.text)));
      for (const answer of answers) expectUnauthenticated(byId(REQUESTS[round % REQUESTS.length]![0]), answer);
      expect((await effectsOf(platform.admin, tenant.id)).events).toBe(before.events);
    }
  });

  it(`is refused for the next request on every instance: narrowed, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { scopes } = byId(REQUESTS[round % REQUESTS.length]![0]);
      if (scopes.length === 0) continue;
      const made = await key({ scopes });
      for (const instance of [platform, second])
        expect([200, 201, 404]).toContain((await on(instance, round, made.text)).status);
      await changeKey(platform.admin, made, { scopes: ['usage:read'] });
      const before = await effectsOf(platform.admin, tenant.id);
      const answers = await Promise.all([platform, second].map((instance) => on(instance, round, made.text)));
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 403,
          body: { code: 'permission_denied', requiredPermission: scopes[0] },
        });
        expect(await lastAudit(answer.headers.get('x-request-id')!)).toMatchObject([{ outcome: 'denied' }]);
      }
      expect(await effectsOf(platform.admin, tenant.id)).toEqual({ audit: before.audit + 2, events: before.events });
    }
  });

  it('is audited when it is used again', async () => {
    const made = await key();
    expect((await on(platform, 0, made.text)).status).toBe(200);
    await changeKey(platform.admin, made, { revokedAt: new Date() });
    for (let round = 0; round < REQUESTS.length; round++) {
      const answer = await on(platform, round, made.text);
      expectUnauthenticated(byId(REQUESTS[round]![0]), answer);
      expect(await lastAudit(answer.headers.get('x-request-id')!)).toMatchObject([
        { action: 'auth.credential.refused', outcome: 'denied', reason: 'revoked', target: { id: made.id } },
      ]);
    }
  });

  it('works again when it is restored', async () => {
    const made = await key({ scopes: ['usage:read'] });
    expect((await on(platform, 0, made.text)).status).toBe(403);
    await changeKey(platform.admin, made, { scopes: ['deals:read'] });
    expect((await on(platform, 0, made.text)).status).toBe(200);
    expect((await on(second, 0, made.text)).status).toBe(200);
    const listed = await key({ cidrs: ['192.0.2.0/24'] });
    expect((await on(platform, 0, listed.text)).status).toBe(403);
    await changeKey(platform.admin, listed, { cidrs: ['10.0.0.0/8'] });
    expect((await on(platform, 0, listed.text)).status).toBe(200);
  });
});
