import { randomUUID } from 'node:crypto';
import { uuidv7 } from '#libs/kernel/id.js';
import { RouteTable } from '#libs/http/route-table.js';
import { operationPrefix } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Answer } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import type { Call, Scene } from './fixture-parts.js';
import { callOf, fixtureOf } from './fixtures.js';
import { type Place, placesOf } from './foreign-ids.js';
import { makeKey } from './keys.js';
import { type Json, NOWHERE, OF_SESSIONS, type Operation } from './operations.js';
import {
  fromSomewhere,
  nextCursorOf,
  pageOfOne,
  problem,
  type Running,
  sceneOf,
  send,
  startRunning,
  urlOf,
} from './running.js';
import { isProving, sampleOf, sampleOfKit, topicOf } from './sample.js';
import { fingerprintOf } from './tenant-fingerprint.js';

/** Tenant isolation: every operation with the id of another tenant in every place for an id. */
const platform: Running = await startRunning();
/** Without the short paths, which are rewritten to the long ones before routing. */
const operations = platform.operations.filter(({ open, alias }) => !open && !alias);
afterAll(() => platform.close());

/** Two tenants. The label of the other one is part of the name of each of its records. */
interface Pair {
  own: TestTenant & Scene;
  other: TestTenant & Scene;
}

async function makePair(): Promise<Pair> {
  const label = `m${randomUUID().slice(0, 8)}`;
  return {
    own: sceneOf(platform, await platform.tenant(), 'own'),
    other: sceneOf(platform, await platform.tenant(), label),
  };
}

/** The same request id for both, so that only requested data can differ. */
const SAME_REQUEST = { 'x-request-id': 'isolation-matrix' };
/** Also how a client handles connections after HEAD. */
const VARYING = /^(date|ratelimit|x-ratelimit|connection|keep-alive)/;

/** A response without the id that was sent. */
function impersonal(answer: Answer<unknown>, id: string): unknown {
  const headers = [...answer.headers].filter(([name]) => !VARYING.test(name));
  // An export is itself in the log, with the id that was asked for, so that no two are alike.
  const text = answer.text.includes('"manifest":') ? '' : answer.text.replaceAll(id, '{id}');
  return { status: answer.status, headers, text: text.replace(/"asOf":"[^"]+"/, '') };
}

/**
 * Runs an attempt of one tenant, and checks that the rows of the other are unchanged and that it is not mentioned,
 * except for what the caller has `told` itself.
 */
async function attempt<T>(pair: Pair, run: () => Promise<Answer<T>>, told?: string): Promise<Answer<T>> {
  const [answer] = await attemptAll(pair, [run], told);
  return answer!;
}

async function attemptAll<T>({ other }: Pair, runs: (() => Promise<Answer<T>>)[], told?: string): Promise<Answer<T>[]> {
  const before = await fingerprintOf(platform.admin, other.id);
  const answers: Answer<T>[] = [];
  for (const run of runs) answers.push(await run());
  expect(await fingerprintOf(platform.admin, other.id)).toEqual(before);
  const secrets = [other.label, other.id, other.slug].filter((secret) => secret !== told);
  for (const { text, headers } of answers) {
    const whole = text + JSON.stringify([...headers]);
    for (const secret of secrets) expect(whole).not.toContain(secret);
  }
  return answers;
}

/** Query parameters of reads that refer to a record instead of filtering by it. */
const NOT_FILTERS: ReadonlySet<string> = new Set(['query previous']);

/** Their figures include the requests of the test, so no two responses are equal. */
const COUNTING = ['admin.compliance.sla_report.get', 'admin.overview.get', 'admin.performance.get', 'admin.slo.list'];

/** A foreign id must give the same result as an unknown one. */
function expectUnknown(place: Place, operation: Operation, answer: Answer<Json>): void {
  const { status, body } = answer;
  const outcome = { place: place.name, status, body };
  if (Array.isArray(body['results'])) {
    const [result] = body['results'] as { ok: boolean; problem?: { status: number } }[];
    const refusal = result?.problem
      ? { problem: { status: place.subject ? 404 : 400 } }
      : { error: { code: 'not_found' } };
    expect(result).toMatchObject({ ok: false, ...refusal });
  } else if (operation.method === 'POST' && Array.isArray(body['data'])) {
    expect(body['data'][0]).toMatchObject({ ok: false, error: { status: 400, code: 'validation_failed' } });
  } else if (Array.isArray(body['cards'])) {
    const counted = (body['cards'] as { sampleSize: number }[]).filter(({ sampleSize }) => sampleSize > 0);
    expect({ status, counted }).toEqual({ status: 200, counted: [] });
  } else if (place.kind === 'query' && operation.method === 'GET' && !NOT_FILTERS.has(place.name)) {
    if (place.negated) expect(outcome).toMatchObject({ status: 200 });
    else expect(outcome).toMatchObject({ status: 200, body: 'entries' in body ? { entries: [] } : { data: [] } });
  } else if (place.subject) {
    expect(outcome).toMatchObject(problem(operation, 404, 'not_found'));
  } else if (place.kind === 'query' && 'deleted' in body) {
    expect(outcome).toMatchObject({ status: 200, body: { deleted: 0 } });
  } else {
    expect(outcome).toMatchObject(problem(operation, 400, 'validation_failed'));
  }
}

/** The owner reads the record first, so that anything cached could leak. */
async function readByOwner(place: Place, { id }: Operation, { api }: TestTenant, recordId: string): Promise<void> {
  const reading = operations.find((each) => each.id === id.replace(/[^.]+$/, 'get') && !each.alias);
  if (place.subject && reading) {
    const { status } = await send(api, reading, { path: { id: recordId } });
    expect(status).toBe(id.endsWith('.restore') ? 404 : 200); // records to restore are in the trash
  }
}

/** A credit note uses the taxes of its invoice, so a new, valid rate is refused as missing there. */
function isOfAnotherTax(place: Place, { id }: Operation): boolean {
  return place.name.endsWith('/taxRateId') && /^finance\.(credit_notes\.|invoices\.credit$)/.test(id);
}

/** A call with a valid id in the same place; otherwise the refusals of others would prove nothing. */
async function expectKnown(place: Place, operation: Operation, { api }: TestTenant, call: Call): Promise<void> {
  const answer = await send(api, operation, call);
  const { status, body } = answer;
  if (isOfAnotherTax(place, operation)) {
    const [problem = body] = ((body['results'] ?? []) as { problem: Json }[]).map((result) => result.problem);
    return expect({ place: place.name, code: problem['code'] }).toEqual({ place: place.name, code: 'tax_mismatch' });
  }
  expect({ place: place.name, status, body }).toMatchObject({ status: operation.success });
  const [outcome] = (body['results'] ?? []) as Json[];
  if (outcome && 'ok' in outcome) expect(outcome).toMatchObject({ ok: true });
  const [result] = operation.method === 'POST' && Array.isArray(body['data']) ? (body['data'] as Json[]) : [];
  if (result) expect({ place: place.name, result }).toMatchObject({ result: { ok: true } });
}

function isList({ parameters }: Operation): boolean {
  return parameters.some(({ name }) => name === 'cursor');
}

const listsOfKit = new Set(
  platform.app
    .get(ResourceRegistry)
    .all()
    .map((type) => `${operationPrefix(type)}.list`),
);

/**
 * Whether a parameter such as `x[in]` repeats a proof: how lists of the resource kit compare is its code, which is tried
 * on the types tested in full, and `x` itself on every type.
 */
function isComparedByKit(operation: Operation, parameter: string): boolean {
  return parameter.endsWith(']') && listsOfKit.has(operation.id) && !isProving(topicOf(operation));
}

let pair: Pair;
async function newPair(): Promise<void> {
  pair = await makePair();
  await pair.own.api.get('/api/admin/audit-logs'); // reading is recorded once a minute, so not between two attempts
}

/** Operations with their own code, and representatives of those generated by the resource kit. */
const inFull = new Set(sampleOfKit(platform, operations));
const known = new Set<string>();

/** The places to try: all of them, or for generated operations each one once per type. */
function triedPlaces(operation: Operation): Place[] {
  const places = placesOf(operation).filter(({ name }) => !isComparedByKit(operation, name));
  if (inFull.has(operation)) return places;
  return places.filter(({ name }) => {
    const key = `${topicOf(operation)} ${name}`;
    return !known.has(key) && known.add(key);
  });
}

const withPlaces = operations.map((operation) => ({ ...operation, places: triedPlaces(operation) }));
/** Its workspace is tried in test/e2e/admin/overview.spec.ts, because its other figures change with each request. */
const comparable = withPlaces.filter(({ id, places }) => places.length > 0 && id !== 'admin.overview.get');

describe.each(comparable)('$name', ({ places, ...operation }) => {
  beforeAll(newPair);

  it('treats a foreign id like an unknown one', async () => {
    const { own, other } = pair;
    for (const place of places) {
      const foreignId = await place.make(other);
      const unknownId = place.name === 'path id' ? NOWHERE : uuidv7();
      await readByOwner(place, operation, other, foreignId);
      const ownId = place.subject ? null : await place.make(own);
      const base = await callOf(operation, own);
      const ask = (id: string) => () => send(own.api, operation, place.build(base, id), SAME_REQUEST);
      const [foreign, unknown] = await attemptAll(pair, [ask(foreignId), ask(unknownId)]);
      expectUnknown(place, operation, foreign!);
      expect(impersonal(foreign!, foreignId)).toEqual(impersonal(unknown!, unknownId));
      // Refused, the call has used nothing up. A record itself is only known to its owner.
      if (ownId !== null) await expectKnown(place, operation, own, place.build(base, ownId));
      else await expectKnown(place, operation, other, place.build(await callOf(operation, other), foreignId));
    }
  });
});

describe.each(operations.filter((operation) => inFull.has(operation) || isList(operation)))('$name', (operation) => {
  beforeAll(newPair);

  it('returns nothing of another tenant', async () => {
    const { own, other } = pair;
    await callOf(operation, other);
    const call = await callOf(operation, own);
    const { status, body } = await attempt(pair, () => send(own.api, operation, call));
    expect({ status, body }).toMatchObject({ status: operation.success });
    const texts = operation.parameters.filter(
      ({ in: location, name, schema }) =>
        location === 'query' &&
        schema.type === 'string' &&
        !schema.enum &&
        !schema.format &&
        name !== 'cursor' &&
        !isComparedByKit(operation, name),
    );
    for (const { name } of texts) {
      // SCIM errors quote the caller's input.
      const told = operation.scim ? other.label : undefined;
      const found = await attempt(pair, () => send(own.api, operation, { query: { [name]: other.label } }), told);
      expect(found.status).toBeLessThan(500);
    }
  });
});

const lists = operations.filter((operation) => isList(operation) && !OF_SESSIONS.has(operation.id));

it.each(sampleOf(lists))('$name refuses cursors of another tenant', async (operation) => {
  await newPair();
  const { own, other } = pair;
  await callOf(operation, other);
  const theirs = await callOf(operation, other);
  const mine = await callOf(operation, own);
  const page = (call: Call, cursor?: string): Call => ({
    ...call,
    query: { ...call.query, ...pageOfOne(operation, cursor) },
  });
  const cursor = nextCursorOf(await send(other.api, operation, page(theirs)))!;
  expect(cursor).not.toBeNull();
  const ask = (text: string): Promise<Answer> =>
    attempt(pair, () => send(own.api, operation, page(mine, text), SAME_REQUEST));
  const foreign = await ask(cursor);
  expect(foreign).toMatchObject(problem(operation, 400, 'cursor_invalid'));
  expect(impersonal(foreign, cursor)).toEqual(impersonal(await ask('AAAA'), 'AAAA'));
  expect(await send(other.api, operation, page(theirs, cursor))).toMatchObject({ status: 200 });
});

const idempotent = operations.filter((operation) => operation.idempotent);

it.each(sampleOf(idempotent))('$name separates idempotency keys of tenants', async (operation) => {
  await newPair();
  const { own, other } = pair;
  const key = { 'idempotency-key': 'shared-by-chance' };
  const theirs = await send(other.api, operation, await callOf(operation, other), key);
  expect(theirs.status).toBe(operation.success);
  const call = await callOf(operation, own);
  const ours = await attempt(pair, () => send(own.api, operation, call, key));
  expect(ours.status).toBe(operation.success);
  expect(ours.headers.get('idempotent-replayed')).toBeNull();
});

it.each(sampleOf(operations))('$name does not distinguish existing slugs from others', async (operation) => {
  await newPair();
  const { own, other } = pair;
  const call: Call = await callOf(operation, own);
  const ask = (credential: Record<string, string>, slug: string): Promise<Answer> =>
    platform.anonymous().send(operation.method, urlOf(operation, call), call.body, {
      ...SAME_REQUEST,
      ...credential,
      ...fromSomewhere(),
      'x-tenant-slug': slug,
    });
  const before = await fingerprintOf(platform.admin, other.id);
  const { text } = await makeKey(platform.admin, own.id, { kind: 'scim_token' });
  const credentials: [Record<string, string>, number][] = operation.scim
    ? [[{ authorization: `Bearer ${text}` }, 401]]
    : [
        [{ 'x-api-key': own.apiKey }, 403],
        [{ authorization: `Bearer ${own.apiKey}` }, 401],
      ];
  for (const [credential, status] of credentials) {
    const foreign = await ask(credential, other.slug);
    expect(foreign.status).toBe(status);
    expect(impersonal(foreign, other.slug)).toEqual(
      impersonal(await ask(credential, 'nobody-has-it'), 'nobody-has-it'),
    );
  }
  expect(await fingerprintOf(platform.admin, other.id)).toEqual(before);
});

const reads = operations.filter(({ method, id }) => method === 'GET' && !COUNTING.includes(id));

it.each(sampleOf(reads))('$name handles HEAD like GET', async (operation) => {
  await newPair();
  const { own, other } = pair;
  const theirs = await callOf(operation, other);
  const mine = await callOf(operation, own);
  for (const call of [mine, ...(operation.path.includes('{') ? [theirs] : [])]) {
    const get = await send(own.api, operation, call, SAME_REQUEST);
    const head = await attempt(pair, () => own.api.send('HEAD', urlOf(operation, call), undefined, SAME_REQUEST));
    expect(head.text).toBe('');
    expect({ ...(impersonal(head, '-') as object), text: '' }).toEqual({
      ...(impersonal(get, '-') as object),
      text: '',
    });
    const isOwned = call.path?.['id'] !== undefined && !fixtureOf(operation).everywhere; // documents are the same for all
    const isTheirs = call === theirs && isOwned;
    expect(get.status).toBe(isTheirs ? 404 : 200);
  }
});

describe('the routes of the server', () => {
  /** Public routes without tenant data. */
  const OPEN = /^\/($|favicon\.ico$|openapi\.json$|(docs|console)(\/|$)|health\/(live|ready)$|metrics$)/;

  /** Routes for browsers, people, and operators; tested in e2e/auth, home, invitations, bootstrap and settings. */
  const FOR_STRANGERS = [
    'GET /api/auth/login',
    'GET /api/auth/callback',
    'GET /.well-known/oauth-authorization-server',
    'GET /api/auth/.well-known/oauth-authorization-server',
    'GET /api/auth/oauth/.well-known/oauth-authorization-server',
    'GET /api/auth/oauth/authorize',
    'GET /api/auth/oauth/jwks',
    'POST /api/auth/oauth/authorize',
    'POST /api/auth/oauth/introspect',
    'POST /api/auth/oauth/revoke',
    'POST /api/auth/oauth/token',
    'POST /api/auth/session',
    'POST /api/auth/step-up',
    'POST /api/auth/switch-tenant',
    'GET /api/bootstrap/slug-available',
    'POST /api/bootstrap/tenants',
    'GET /api/bootstrap/tenants/{id}',
    'POST /api/bootstrap/tenants/{id}/reactivate',
    'POST /api/bootstrap/tenants/{id}/suspend',
    'GET /api/invitations/{token}',
    'POST /api/invitations/{token}/accept',
    'POST /api/invitations/{token}/decline',
    'GET /api/files/{token}',
    'GET /api/public/careers/{slug}',
    'GET /api/public/careers/{slug}/jobs/{id}',
    'POST /api/public/careers/{slug}/jobs/{id}/apply',
    'PUT /api/files/{token}',
    'GET /api/public/invoices/{token}',
    'GET /api/public/keys',
    'GET /api/public/milestones/{token}',
    'POST /api/public/milestones/{token}/accept',
    'GET /api/public/plans',
    'GET /api/public/proposals/{token}',
    'POST /api/public/proposals/{token}/accept',
    'POST /api/public/proposals/{token}/decline',
    'GET /api/public/status',
    'GET /api/public/unsubscribe/{token}',
    'POST /api/public/unsubscribe/{token}',
    'GET /api/public/tenants/{slug}',
    'GET /api/data-export/requests/{id}/download',
    'GET /api/exports',
    'POST /api/exports',
    'GET /api/exports/{id}',
    'GET /api/exports/{id}/download',
    'POST /api/exports/{id}/cancel',
    'GET /api/exports/schedules',
    'GET /api/integrations/imports',
    'POST /api/integrations/imports',
    'GET /api/integrations/imports/{id}',
    'PATCH /api/integrations/imports/{id}',
    'DELETE /api/integrations/imports/{id}',
    'POST /api/integrations/imports/{id}/validate',
    'POST /api/integrations/imports/{id}/run',
    'POST /api/integrations/imports/{id}/rollback',
    'POST /api/integrations/imports/{id}/cancel',
    'GET /api/integrations/imports/{id}/errors',
    'GET /api/integrations/imports/{id}/errors.csv',
    'POST /api/exports/schedules',
    'GET /api/exports/schedules/{id}',
    'PATCH /api/exports/schedules/{id}',
    'DELETE /api/exports/schedules/{id}',
    'GET /api/home/favourites',
    'PUT /api/home/favourites',
    'GET /api/home/layout',
    'PUT /api/home/layout',
    'GET /api/home/notifications',
    'POST /api/home/notifications/read',
    'GET /api/settings/notifications',
    'PATCH /api/settings/notifications',
    'GET /api/settings/profile',
    'PATCH /api/settings/profile',
    'POST /api/v1/documents/files/{id}/versions',
    'POST /api/v1/reports/reports/{id}/schedule',
    'DELETE /api/v1/reports/reports/{id}/schedule',
    'GET /api/v1/reports/reports/{id}/runs',
    'POST /api/v1/reports/reports/{id}/runs',
    'GET /api/v1/reports/runs/{id}',
  ];

  /** Never supported; tested in test/e2e/scim/search.spec.ts. */
  const NEVER_DONE = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /api/scim/v2/Me`);

  it('are all covered by the tests above', () => {
    const covered = new Set([
      ...operations.map(({ method, path }) => `${method} ${path}`),
      ...FOR_STRANGERS,
      ...NEVER_DONE,
    ]);
    const uncovered = platform.app
      .get(RouteTable)
      .all()
      .filter(({ url }) => !OPEN.test(url))
      .map(({ method, url }) => `${method === 'HEAD' ? 'GET' : method} ${url.replace(/:(\w+)/g, '{$1}')}`)
      .filter((route) => !covered.has(route));
    expect(uncovered).toEqual([]);
  });
});
