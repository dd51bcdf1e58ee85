import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const PATH = '/api/webhooks/endpoints';
const TARGET = 'http://127.0.0.1:9/hook';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

interface Endpoint extends Record<string, unknown> {
  id: string;
  secret: string;
  version: number;
}
interface Failure {
  code: string;
  errors: { pointer?: string; parameter?: string; code: string }[];
}

const create = (tenant: TestTenant, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  tenant.api.post<Endpoint>(PATH, { url: TARGET, eventTypes: ['sales.deal.created'], ...more }, headers);

async function existing(tenant: TestTenant, more: Record<string, unknown> = {}) {
  const { body } = await create(tenant, more);
  return { ...body, path: `${PATH}/${body.id}` };
}

describe('creating a webhook endpoint', () => {
  it('returns the endpoint and, only once, its secret', async () => {
    const tenant = await platform.tenant();
    const created = await create(tenant, { description: 'Billing' });
    expect(created.status).toBe(201);
    const { secret, ...endpoint } = created.body;
    expect(secret).toMatch(SECRET);
    expect(endpoint).toMatchObject({
      object: 'webhook.endpoint',
      url: TARGET,
      description: 'Billing',
      eventTypes: ['sales.deal.created'],
      status: 'enabled',
      disabledReason: null,
      timeoutMs: 15_000,
      previousSecretExpiresAt: null,
      version: 1,
      createdBy: { type: 'api_key', name: 'test' },
    });
    expect(created.headers.get('location')).toBe(`${PATH}/${endpoint.id}`);
    const read = await tenant.api.get(`${PATH}/${endpoint.id}`);
    expect(read.body).toEqual(endpoint);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    const list = await tenant.api.get<{ data: object[] }>(PATH);
    expect(list.body.data).toEqual([endpoint]);
  });

  it('keeps the secret out of the tables, the audit log and the outbox', async () => {
    const tenant = await platform.tenant();
    const { secret } = await existing(tenant);
    const tables = ['webhook_endpoints', 'audit_log', 'events', 'idempotency_keys'];
    const found = tables.map(
      (table) => `select '${table}' as place from data.${table} t where t::text like '%' || $1 || '%'`,
    );
    const part = secret.slice(6, -1);
    expect(await asAdmin(platform.database, found.join(' union all '), [part])).toEqual([]);
  });

  it('repeats the response with the same secret, which is stored encrypted', async () => {
    const tenant = await platform.tenant();
    const first = await create(tenant, {}, { 'idempotency-key': 'once' });
    const second = await create(tenant, {}, { 'idempotency-key': 'once' });
    expect(second.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await tenant.api.get<{ data: object[] }>(PATH)).body.data).toHaveLength(1);
    const [stored] = await asAdmin<{ body: string }>(
      platform.database,
      `select body from data.idempotency_keys where tenant_id = $1`,
      [tenant.id],
    );
    expect(stored!.body).toMatch(/^v1\.[\w-]+$/);
  });

  it('reports all errors together', async () => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post<Failure>(PATH, {
      url: 'ftp://user@example.test/x#y',
      eventTypes: ['sales.deal.created', 'sales.deal.exploded', 'sales.*', 'nothing.*'],
    });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('validation_failed');
    const { errors } = answer.body;
    expect(errors.filter(({ pointer }) => pointer === '/url').length).toBeGreaterThanOrEqual(3);
    expect(errors.filter(({ code }) => code === 'unknown_event_type').map(({ pointer }) => pointer)).toEqual([
      '/eventTypes/1',
      '/eventTypes/3',
    ]);
  });

  it.each([
    ['no url', { eventTypes: ['*'] }, '/url', 'required'],
    ['no event types', { url: TARGET }, '/eventTypes', 'required'],
    ['an empty list', { url: TARGET, eventTypes: [] }, '/eventTypes', 'too_few'],
    ['a duplicate type', { url: TARGET, eventTypes: ['*', '*'] }, '/eventTypes', 'not_unique'],
    ['a short timeout', { url: TARGET, eventTypes: ['*'], timeoutMs: 999 }, '/timeoutMs', 'out_of_range'],
    ['a long timeout', { url: TARGET, eventTypes: ['*'], timeoutMs: 30_001 }, '/timeoutMs', 'out_of_range'],
    ['a private address', { url: 'https://10.0.0.1/', eventTypes: ['*'] }, '/url', 'address_not_allowed'],
    ['a read-only field', { url: TARGET, eventTypes: ['*'], status: 'paused' }, '/status', 'unknown_field'],
  ])('rejects %s', async (_case, body, pointer, code) => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post<Failure>(PATH, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer, code })]);
    expect((await tenant.api.get<{ data: object[] }>(PATH)).body.data).toEqual([]);
  });
});

describe('changing a webhook endpoint', () => {
  it('applies a merge patch: absent members stay, null clears', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant, { description: 'Billing', timeoutMs: 2_000 });
    const patched = await tenant.api.patch(path, { eventTypes: ['*'], description: null });
    expect(patched.body).toMatchObject({
      eventTypes: ['*'],
      description: null,
      timeoutMs: 2_000,
      url: TARGET,
      version: 2,
    });
    const same = await tenant.api.patch(path, { eventTypes: ['*'] });
    expect(same.body).toEqual(patched.body);
    const bad = await tenant.api.patch<Failure>(path, { url: 'https://user:x@example.test/', eventTypes: ['nope'] });
    expect(bad.status).toBe(400);
    expect(bad.body.errors.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(['/url', '/eventTypes/0']));
  });

  it('respects If-Match', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    const stale = { 'if-match': '"7"' };
    for (const answer of [
      await tenant.api.patch(path, { description: 'x' }, stale),
      await tenant.api.post(`${path}/pause`, undefined, stale),
      await tenant.api.post(`${path}/rotate-secret`, undefined, stale),
      await tenant.api.delete(path, stale),
    ])
      expect([answer.status, answer.body['code']]).toEqual([412, 'version_mismatch']);
    expect((await tenant.api.patch(path, { description: 'x' }, { 'if-match': '"1"' })).status).toBe(200);
  });

  it('allows only valid state transitions', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    const act = (action: string) => tenant.api.post(`${path}/${action}`);
    const again = await act('enable');
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({
      code: 'invalid_transition',
      state: 'enabled',
      action: 'enable',
      allowedActions: ['disable', 'pause'],
    });
    expect((await act('pause')).body).toMatchObject({ status: 'paused', disabledReason: null });
    expect((await act('disable')).body).toMatchObject({ status: 'disabled', disabledReason: 'requested' });
    expect((await act('pause')).status).toBe(409);
    expect((await act('enable')).body).toMatchObject({ status: 'enabled', disabledReason: null, version: 4 });
  });

  it('writes an audit entry and an event for each change, none for a rejection', async () => {
    const tenant = await platform.tenant();
    const { id, path } = await existing(tenant);
    await tenant.api.patch(path, { description: 'x' });
    await tenant.api.post(`${path}/pause`);
    await tenant.api.post(`${path}/pause`);
    await tenant.api.post(`${path}/enable`);
    await tenant.api.post(`${path}/disable`);
    await tenant.api.post(`${path}/rotate-secret`);
    await tenant.api.delete(path);
    const verbs = ['created', 'updated', 'paused', 'enabled', 'disabled', 'secret_rotated', 'deleted'];
    const expected = verbs.map((verb) => `webhook.endpoint.${verb}`);
    const events = await asAdmin<{ type: string; envelope: string }>(
      platform.database,
      `select type, envelope from data.events where subject_id = $1 order by id`,
      [id],
    );
    expect(events.map(({ type }) => type)).toEqual(expected);
    expect(JSON.parse(events[1]!.envelope)).toMatchObject({
      subject: { type: 'webhook.endpoint', id, reference: null, version: 2, url: path },
      data: { id, description: 'x' },
      changes: { description: { from: null, to: 'x' } },
    });
    const log = await tenant.api.get<{ data: { action: string; outcome: string }[] }>(
      `/api/admin/audit-logs?targetId=${id}&outcome=success`,
    );
    expect(log.body.data.map(({ action }) => action).reverse()).toEqual(expected);
  });
});

describe('deleting a webhook endpoint', () => {
  it('makes it return 404', async () => {
    const tenant = await platform.tenant();
    const { id, path } = await existing(tenant);
    const deleted = await tenant.api.delete(path);
    expect(deleted.body).toMatchObject({ id, object: 'webhook.endpoint', deleted: true });
    for (const answer of [
      await tenant.api.get(path),
      await tenant.api.patch(path, { description: 'x' }),
      await tenant.api.delete(path),
      await tenant.api.post(`${path}/enable`),
      await tenant.api.post(`${path}/rotate-secret`),
      await tenant.api.post(`${path}/test`),
      await tenant.api.get(`${path}/deliveries`),
    ])
      expect([answer.status, answer.body['code']]).toEqual([404, 'not_found']);
    expect((await tenant.api.get<{ data: object[] }>(PATH)).body.data).toEqual([]);
  });
});

describe('rotating a secret', () => {
  it('returns the new one, and rejects another rotation within the grace period unless forced', async () => {
    const tenant = await platform.tenant();
    const { secret, path } = await existing(tenant);
    const first = await tenant.api.post<{ secret: string; previousSecretExpiresAt: string }>(`${path}/rotate-secret`);
    expect(first.body.secret).toMatch(SECRET);
    expect(first.body.secret).not.toBe(secret);
    const week = 7 * 86_400_000;
    const graceMs = Date.parse(first.body.previousSecretExpiresAt) - platform.clock.nowMs();
    expect(graceMs).toBeGreaterThan(week - 10_000);
    expect(graceMs).toBeLessThanOrEqual(week);
    const { previousSecretExpiresAt } = (await tenant.api.get(path)).body;
    expect(previousSecretExpiresAt).toBe(first.body.previousSecretExpiresAt);

    const second = await tenant.api.post(`${path}/rotate-secret`);
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'secret_rotation_in_progress', previousSecretExpiresAt });
    const forced = await tenant.api.post<{ secret: string }>(`${path}/rotate-secret`, { force: true, graceSeconds: 0 });
    expect(forced.status).toBe(200);
    expect((await tenant.api.post(`${path}/rotate-secret`, { graceSeconds: 60 })).status).toBe(200);
  });

  it('is possible again after the grace period', async () => {
    const own = await startPlatform();
    const tenant = await own.tenant();
    const { body } = await create(tenant);
    const rotate = () => tenant.api.post(`${PATH}/${body.id}/rotate-secret`, { graceSeconds: 600 });
    expect((await rotate()).status).toBe(200);
    own.clock.advance(599_000);
    expect((await rotate()).status).toBe(409);
    own.clock.advance(2_000);
    expect((await rotate()).status).toBe(200);
    await own.close();
  });

  it('limits the grace period', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    for (const graceSeconds of [-1, 604_801, 1.5, '60'])
      expect((await tenant.api.post(`${path}/rotate-secret`, { graceSeconds })).status).toBe(400);
    expect((await tenant.api.post(`${path}/rotate-secret`, { graceSeconds: 604_800 })).status).toBe(200);
  });

  it('repeats the response with the same secret', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    const rotate = () => tenant.api.post(`${path}/rotate-secret`, {}, { 'idempotency-key': 'r' });
    expect((await rotate()).text).toBe((await rotate()).text);
  });
});

describe('listing webhook endpoints', () => {
  it('paginates, newest first, and filters', async () => {
    const tenant = await platform.tenant();
    const made = [];
    for (let each = 0; each < 5; each++) made.push(await existing(tenant));
    await tenant.api.post(`${made[1]!.path}/pause`);
    type Page = { data: Endpoint[]; page: { hasMore: boolean; nextCursor: string | null } };
    const ids = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: Page } = await tenant.api.get<Page>(`${PATH}?limit=2${cursor && `&cursor=${cursor}`}`);
      ids.push(...body.data.map(({ id }) => id));
      cursor = body.page.nextCursor;
    }
    expect(ids).toEqual(made.map(({ id }) => id).reverse());
    const paused = await tenant.api.get<Page>(`${PATH}?status=paused`);
    expect(paused.body.data.map(({ id }) => id)).toEqual([made[1]!.id]);
    expect((await tenant.api.get(`${PATH}?status=broken`)).status).toBe(400);
    expect((await tenant.api.get(`${PATH}?secret=x`)).status).toBe(400);
  });
});

describe('another tenant', () => {
  it('gets 404, as for an unknown id', async () => {
    const [owner, stranger] = [await platform.tenant(), await platform.tenant()];
    const { path } = await existing(owner);
    const unknown = await stranger.api.get(`${PATH}/${uuidv7()}`);
    for (const answer of [
      await stranger.api.get(path),
      await stranger.api.patch(path, { description: 'mine' }),
      await stranger.api.delete(path),
      await stranger.api.post(`${path}/disable`),
      await stranger.api.post(`${path}/rotate-secret`),
      await stranger.api.post(`${path}/test`),
      await stranger.api.get(`${path}/deliveries`),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body['detail']).toBe(unknown.body['detail']);
    }
    expect((await owner.api.get(path)).body).toMatchObject({ version: 1, status: 'enabled' });
  });
});

describe('permissions', () => {
  it('webhooks:read reads, webhooks:write changes', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    const reader = await platform.key(tenant, ['webhooks:read']);
    const writer = await platform.key(tenant, ['webhooks:write']);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.get(`${path}/deliveries`)).status).toBe(200);
    expect((await writer.get(path)).status).toBe(403);
    for (const action of ['test', 'rotate-secret', 'enable', 'disable', 'pause'])
      expect((await reader.post(`${path}/${action}`)).status).toBe(403);
    expect((await reader.delete(path)).status).toBe(403);
    expect((await writer.post(`${path}/pause`)).status).toBe(200);
  });
});
