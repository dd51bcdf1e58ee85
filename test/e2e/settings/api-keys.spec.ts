import { parseKey } from '#libs/auth/api-key.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { asAdmin } from '../../harness/database.js';
import { AUDITED } from '../../harness/audit.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { askFor, DEALS, type Key, KEYS, makeKey, withKey } from './key-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const inDays = (days: number) => new Date(platform.clock.nowMs() + days * DAY_MS).toISOString();
const list = async (query = '') => (await tenant.api.get<{ data: Key[] }>(KEYS + query)).body.data;
const idsOf = (keys: Key[]) => keys.map(({ id }) => id);
const statusOf = async (key: Key) => (await withKey(platform, key).get(DEALS)).status;
const eventsOf = async () =>
  (
    await asAdmin<{ type: string }>(
      platform.database,
      `select envelope::jsonb ->> 'type' as type from data.events
       where tenant_id = $1 and envelope::jsonb ->> 'type' like 'settings.api_key.%' order by id`,
      [tenant.id],
    )
  ).map(({ type }) => type);
const auditOf = (action: string) =>
  asAdmin<{ entry: string }>(
    platform.database,
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = $2 order by id`,
    [tenant.id, action],
  );

describe('a new key', () => {
  it('is shown once, may do what its scopes say, and expires after a year', async () => {
    const { status, body, headers } = await askFor(tenant.api);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${KEYS}/${body.id}`);
    expect(parseKey(body.apiKey)).toMatchObject({ kind: 'api_key' });
    expect(body).toMatchObject({
      object: 'settings.api_key',
      name: 'Shop',
      kind: 'service',
      scopes: ['deals:read'],
      workspaceIds: [],
      ipAllowList: [],
      allowProtected: false,
      status: 'active',
      memberId: null,
      prefix: body.apiKey.slice(0, 21),
      last4: body.apiKey.slice(-4),
      lastUsedAt: null,
      requests30d: 0,
      version: 1,
    });
    expect(Math.abs(Date.parse(body.expiresAt!) - platform.clock.nowMs() - 365 * DAY_MS)).toBeLessThan(60_000);
    const own = withKey(platform, body);
    expect((await own.get(DEALS)).status).toBe(200);
    expect((await own.post(DEALS, { name: 'Acme' })).status).toBe(403);
    const read = await tenant.api.get<Key>(`${KEYS}/${body.id}`);
    expect(read.body).not.toHaveProperty('apiKey');
    expect(idsOf(await list())).toContain(body.id);
  });

  it('leaves its secret nowhere, an audit entry and an event', async () => {
    const { apiKey, id } = (await askFor(tenant.api, {}, { 'idempotency-key': 'once' })).body;
    const secret = apiKey.split('_')[3]!;
    for (const table of ['data.api_keys', 'data.audit_log', 'data.events', 'data.idempotency_keys'])
      expect(
        await asAdmin(platform.database, `select 1 from ${table} t where t::text like $1`, [`%${secret}%`]),
      ).toEqual([]);
    expect(await eventsOf()).toEqual(['settings.api_key.created']);
    const [entry] = await auditOf('settings.api_key.created');
    expect(JSON.parse(entry!.entry)).toMatchObject({
      target: { type: 'settings.api_key', id },
      changes: { scopes: { from: null, to: ['deals:read'] } },
    });
  });

  it('is shown again to a retry within 10 minutes, which is on record, and then is another one', async () => {
    const retry = { 'idempotency-key': 'again' };
    const first = await askFor(tenant.api, {}, retry);
    expect(await auditOf('core.secret.shown_again')).toEqual([]);
    const second = await askFor(tenant.api, {}, retry);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    const [entry, ...more] = await auditOf('core.secret.shown_again');
    expect(JSON.parse(entry!.entry)).toMatchObject({ target: { id: first.body.id }, riskLevel: 'high' });
    expect(more).toEqual([]);
    expect(await eventsOf()).toEqual(['settings.api_key.created']);
  });

  it('is told of every fault of its body', async () => {
    const faults = async (body: object) =>
      ((await tenant.api.post<{ errors: { pointer: string; code: string }[] }>(KEYS, body)).body.errors ?? []).map(
        ({ pointer, code }) => `${pointer} ${code}`,
      );
    expect(await faults({ name: '', kind: 'robot', scopes: [], ipAllowList: ['10.0.0.0/99'], more: 1 })).toEqual(
      expect.arrayContaining([
        '/kind invalid_value',
        '/scopes too_few',
        '/ipAllowList/0 invalid_network',
        '/more unknown_field',
      ]),
    );
    const fine = { name: 'A', kind: 'service', scopes: ['deals:read'] };
    expect(await faults({ ...fine, scopes: ['deals:read', 'deals:fly'] })).toEqual(['/scopes/1 unknown_scope']);
    expect(await faults({ ...fine, expiresAt: inDays(-1) })).toEqual(['/expiresAt out_of_range']);
    const nowhere = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
    expect(await faults({ ...fine, workspaceIds: [nowhere] })).toEqual(['/workspaceIds/0 unknown_reference']);
  });

  it('can be bound to addresses', async () => {
    expect(await statusOf(await makeKey(tenant.api, { ipAllowList: ['127.0.0.1', '::1'] }))).toBe(200);
    expect(await statusOf(await makeKey(tenant.api, { ipAllowList: ['203.0.113.0/24'] }))).toBe(403);
  });

  it('never expires if it shall not', async () => {
    expect((await makeKey(tenant.api, { expiresAt: null })).expiresAt).toBeNull();
  });
});

describe('a change', () => {
  it('holds from the next request on, and is told', async () => {
    const key = await makeKey(tenant.api, { scopes: ['deals:read', 'deals:write'] });
    const own = withKey(platform, key);
    expect((await own.post(DEALS, { name: 'Acme' })).status).toBe(201);
    const path = `${KEYS}/${key.id}`;
    const { body, headers } = await tenant.api.patch<Key>(path, { scopes: ['deals:read'], name: 'Shop 2' });
    expect(body).toMatchObject({ name: 'Shop 2', scopes: ['deals:read'], version: 2 });
    expect(headers.get('etag')).toBe('"2"');
    expect((await own.post(DEALS, { name: 'Acme' })).status).toBe(403);
    expect((await own.get(DEALS)).status).toBe(200);
    await tenant.api.patch(path, { ipAllowList: ['203.0.113.0/24'] });
    expect((await own.get(DEALS)).status).toBe(403);
    expect((await tenant.api.patch(path, { name: 'x' }, { 'if-match': '"2"' })).status).toBe(412);
    expect((await tenant.api.patch(path, {})).body).toMatchObject({ version: 3 });
    expect(await eventsOf()).toEqual(['created', 'updated', 'updated'].map((verb) => `settings.api_key.${verb}`));
  });

  it('of the expiry can end a key, but not a key that is over', async () => {
    const key = await makeKey(tenant.api);
    const path = `${KEYS}/${key.id}`;
    await tenant.api.patch(path, { expiresAt: inDays(1) });
    expect(await statusOf(key)).toBe(200);
    platform.clock.advance(2 * DAY_MS);
    expect(await statusOf(key)).toBe(401);
    expect((await tenant.api.get(path)).body).toMatchObject({ status: 'expired' });
    const refused = await tenant.api.patch(path, { expiresAt: inDays(1) });
    expect(refused).toMatchObject({ status: 409, body: { code: 'record_locked' } });
  });
});

describe('rotation', () => {
  it('leaves the old secret good for the overlap, and the id, rights and life as they were', async () => {
    const old = await makeKey(tenant.api, { expiresAt: inDays(100) });
    const { status, body } = await tenant.api.post<Key>(`${KEYS}/${old.id}/rotate`, { overlapHours: 2 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: old.id, scopes: old.scopes, status: 'active', version: 2 });
    expect(body.apiKey).not.toBe(old.apiKey);
    expect(await Promise.all([statusOf(old), statusOf(body)])).toEqual([200, 200]);
    await tenant.api.patch(`${KEYS}/${old.id}`, { scopes: ['accounts:read'] });
    expect(await Promise.all([statusOf(old), statusOf(body)])).toEqual([403, 403]);
    await tenant.api.patch(`${KEYS}/${old.id}`, { scopes: ['deals:read'] });
    expect(Date.parse(body.previousExpiresAt!) - platform.clock.nowMs()).toBeGreaterThan(1.9 * 3_600_000);
    platform.clock.advance(2 * 3_600_000 + 1_000);
    expect(await Promise.all([statusOf(old), statusOf(body)])).toEqual([401, 200]);
    expect((await tenant.api.get(`${KEYS}/${old.id}`)).body).toMatchObject({ previousExpiresAt: null });
    expect(Date.parse(body.expiresAt!) - platform.clock.nowMs()).toBeGreaterThan(99 * DAY_MS);
  });

  it('without overlap ends the old secret at once; more than a week is refused', async () => {
    const old = await makeKey(tenant.api);
    const { body } = await tenant.api.post<Key>(`${KEYS}/${old.id}/rotate`, { overlapHours: 0 });
    expect(await Promise.all([statusOf(old), statusOf(body)])).toEqual([401, 200]);
    expect((await tenant.api.post(`${KEYS}/${old.id}/rotate`, { overlapHours: 169 })).status).toBe(400);
  });

  it('is followed by a revocation of both secrets', async () => {
    const old = await makeKey(tenant.api);
    const { body } = await tenant.api.post<Key>(`${KEYS}/${old.id}/rotate`);
    const revoked = await tenant.api.post<Key>(`${KEYS}/${old.id}/revoke`);
    expect(revoked.body).toMatchObject({ status: 'revoked' });
    expect(await Promise.all([statusOf(old), statusOf(body)])).toEqual([401, 401]);
    for (const action of ['revoke', 'rotate'])
      expect(await tenant.api.post(`${KEYS}/${old.id}/${action}`)).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', state: 'revoked', action, allowedActions: [] },
      });
    expect(await eventsOf()).toEqual(['created', 'rotated', 'revoked'].map((verb) => `settings.api_key.${verb}`));
  });
});

it('deletes a key, which is revoked with it', async () => {
  const key = await makeKey(tenant.api);
  expect((await tenant.api.delete(`${KEYS}/${key.id}`)).body).toMatchObject({ id: key.id, deleted: true });
  expect(await statusOf(key)).toBe(401);
  expect((await tenant.api.get(`${KEYS}/${key.id}`)).status).toBe(404);
  expect(idsOf(await list())).not.toContain(key.id);
});

it('finds keys by what they are, that expire soon, and that nobody uses', async () => {
  const soon = await makeKey(tenant.api, { name: 'Soon', expiresAt: inDays(10) });
  const used = await makeKey(tenant.api, { name: 'Used', expiresAt: inDays(400) });
  const gone = await makeKey(tenant.api, { name: 'Gone' });
  await tenant.api.post(`${KEYS}/${gone.id}/revoke`);
  expect(idsOf(await list('?status=revoked'))).toEqual([gone.id]);
  expect(idsOf(await list('?expiringInDays=14'))).toEqual([soon.id]);
  expect(idsOf(await list('?kind=personal'))).toEqual([]);
  expect(idsOf(await list('?name[contains]=oo'))).toEqual([soon.id]);
  expect(idsOf(await list('?sort=name'))).toEqual([gone.id, soon.id, used.id]);
  expect(idsOf(await list('?unusedForDays=5'))).toEqual([]);
  platform.clock.advance(6 * DAY_MS);
  await withKey(platform, used).get(DEALS);
  await platform.app.get(CredentialUses).flush();
  expect(idsOf(await list('?unusedForDays=5'))).toEqual([soon.id]);
  const [{ lastUsedAt, lastUsedIp } = {} as Key] = await list('?name[contains]=Used');
  expect(Date.parse(String(lastUsedAt))).toBeGreaterThan(platform.clock.nowMs() - DAY_MS);
  expect(lastUsedIp).toBe('127.0.0.1');
});

it('counts what a key is used for, and says which scopes would do', async () => {
  const key = await makeKey(tenant.api, { scopes: ['deals:*', 'invoices:read'] });
  const own = withKey(platform, key);
  for (let i = 0; i < 3; i++) await own.get(DEALS);
  await own.post(DEALS, { name: 'Acme' });
  await own.get('/api/v1/people/employees'); // 403, so no scope would have done
  const { body } = await tenant.api.get<{ data: { day: string }[] }>(`${KEYS}/${key.id}/usage`);
  expect(body.data).toHaveLength(30);
  expect(body.data.at(-1)).toEqual({
    day: new Date(platform.clock.nowMs()).toISOString().slice(0, 10),
    reads: 4,
    writes: 1,
    rateLimited: 0,
    errors: 1,
  });
  expect(body).toMatchObject({
    scopesUsed: ['deals:read', 'deals:write'],
    scopesUnused: ['invoices:read'],
    requests30d: 5,
    lastUsedAt: expect.any(String), // the same requests
  });
  expect((await tenant.api.get(`${KEYS}/${key.id}`)).body).toMatchObject({ requests30d: 5 });
  await tenant.api.post(`${KEYS}/${key.id}/rotate`, { overlapHours: 0 });
  expect((await tenant.api.get(`${KEYS}/${key.id}/usage`)).body).toMatchObject({ requests30d: 5 });
});

it('stays within the tenant', async () => {
  const other = await platform.tenant();
  const { id } = await makeKey(other.api);
  expect(idsOf(await list())).not.toContain(id);
  for (const ask of [
    () => tenant.api.get(`${KEYS}/${id}`),
    () => tenant.api.get(`${KEYS}/${id}/usage`),
    () => tenant.api.patch(`${KEYS}/${id}`, { name: 'x' }),
    () => tenant.api.post(`${KEYS}/${id}/rotate`),
    () => tenant.api.post(`${KEYS}/${id}/revoke`),
    () => tenant.api.delete(`${KEYS}/${id}`),
  ])
    expect((await ask()).status).toBe(404);
});
