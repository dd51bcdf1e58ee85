import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const PATH = '/api/webhooks/endpoints';
const TARGET = 'http://127.0.0.1:9/hook';
const FILTER = {
  and: [{ field: 'valueMinor', op: 'gte', value: 100_000 }, { not: { field: 'status', op: 'eq', value: 'lost' } }],
};

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

interface Endpoint extends Record<string, unknown> {
  id: string;
  version: number;
}
interface Failure extends Record<string, unknown> {
  errors: { pointer: string; code: string }[];
}

const create = (tenant: TestTenant, more: Record<string, unknown> = {}) =>
  tenant.api.post<Endpoint>(PATH, { url: TARGET, eventTypes: ['sales.deal.created'], ...more });

async function existing(tenant: TestTenant, more: Record<string, unknown> = {}) {
  const { status, text, body } = await create(tenant, more);
  if (status !== 201) throw new Error(text);
  return { ...body, path: `${PATH}/${body.id}` };
}

const failuresOf = ({ status, body }: { status: number; body: Failure }) => ({
  status,
  errors: body.errors.map(({ pointer, code }) => [pointer, code]),
});

const laneOf = async (id: string) =>
  (
    await asAdmin(
      platform.database,
      `select ordering, max_per_second, max_concurrency from data.webhook_lanes where endpoint_id = $1`,
      [id],
    )
  )[0];

describe('delivery settings of an endpoint', () => {
  it('default to all events, full payloads and no rate limit', async () => {
    const tenant = await platform.tenant();
    const { id, path } = await existing(tenant);
    expect((await tenant.api.get(path)).body).toMatchObject({
      filter: null,
      payloadMode: 'full',
      schemaVersions: {},
      ordering: 'none',
      maxPerSecond: null,
      maxConcurrency: null,
      customHeaderNames: [],
      verifiedAt: null,
    });
    expect(await laneOf(id)).toEqual({ ordering: 'none', max_per_second: null, max_concurrency: null });
  });

  it('are stored as requested, and the scheduler applies the limits', async () => {
    const tenant = await platform.tenant();
    const content = {
      filter: FILTER,
      payloadMode: 'thin',
      schemaVersions: { 'sales.deal.created': 1 },
      ordering: 'per_resource',
      maxPerSecond: 50,
      maxConcurrency: 5,
    };
    const { id, path } = await existing(tenant, content);
    expect((await tenant.api.get(path)).body).toMatchObject(content);
    expect(await laneOf(id)).toEqual({ ordering: 'per_resource', max_per_second: 50, max_concurrency: 5 });
  });

  it('can be changed: absent members stay, null clears', async () => {
    const tenant = await platform.tenant();
    const { id, path } = await existing(tenant, { filter: FILTER, maxPerSecond: 50, maxConcurrency: 5 });
    const patched = await tenant.api.patch(path, { maxPerSecond: null, ordering: 'per_resource', payloadMode: 'thin' });
    const expected = { filter: FILTER, maxPerSecond: null, maxConcurrency: 5, ordering: 'per_resource', version: 2 };
    expect(patched.body).toMatchObject({ ...expected, payloadMode: 'thin' });
    expect(await laneOf(id)).toEqual({ ordering: 'per_resource', max_per_second: null, max_concurrency: 5 });
    const same = { filter: { and: [...FILTER.and] }, ordering: 'per_resource', schemaVersions: {} };
    expect((await tenant.api.patch(path, same)).body).toMatchObject({ version: 2 });
    expect((await tenant.api.patch(path, { filter: null })).body).toMatchObject({ filter: null, version: 3 });
    const versions = await tenant.api.patch(path, { schemaVersions: { 'sales.deal.won': 1 } });
    expect(versions.body).toMatchObject({ schemaVersions: { 'sales.deal.won': 1 }, version: 4 });
    const more = await tenant.api.patch(path, { schemaVersions: { 'sales.deal.lost': 1 } });
    expect(more.body).toMatchObject({ schemaVersions: { 'sales.deal.won': 1, 'sales.deal.lost': 1 } });
  });

  it.each([
    ['an invalid filter', { filter: { field: 'status' } }, ['/filter/op', '/filter/value']],
    ['an unknown mode', { payloadMode: 'tiny' }, ['/payloadMode']],
    [
      'a version of an unknown type',
      { schemaVersions: { 'sales.deal.exploded': 1 } },
      ['/schemaVersions/sales.deal.exploded'],
    ],
    ['an unknown version', { schemaVersions: { 'sales.deal.won': 99 } }, ['/schemaVersions/sales.deal.won']],
    ['an unknown order', { ordering: 'global' }, ['/ordering']],
    ['no attempts per second', { maxPerSecond: 0 }, ['/maxPerSecond']],
    ['too many attempts per second', { maxPerSecond: 1_001 }, ['/maxPerSecond']],
    ['no concurrent attempts', { maxConcurrency: 0 }, ['/maxConcurrency']],
    ['too many concurrent attempts', { maxConcurrency: 101 }, ['/maxConcurrency']],
  ])('cannot be %s', async (_case, wrong, pointers) => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant);
    for (const { status, body } of [await create(tenant, wrong), await tenant.api.patch(path, wrong)]) {
      expect(status).toBe(400);
      expect((body['errors'] as Failure['errors']).map(({ pointer }) => pointer)).toEqual(pointers);
    }
    expect((await tenant.api.get(path)).body).toMatchObject({ version: 1 });
  });
});

describe('headers of an endpoint', () => {
  const SECRET = 'Bearer hidden-in-plain-sight';

  it('are shown by name, and their values are readable nowhere', async () => {
    const tenant = await platform.tenant();
    const { id, path, ...created } = await existing(tenant, { customHeaders: { Authorization: SECRET, 'X-Env': 'p' } });
    expect(created).toMatchObject({ customHeaderNames: ['Authorization', 'X-Env'] });
    await tenant.api.patch(path, { customHeaders: { Authorization: `${SECRET}!` } });
    expect(JSON.stringify([created, (await tenant.api.get(path)).body])).not.toContain('customHeaders"');
    const tables = ['webhook_endpoints', 'audit_log', 'events', 'idempotency_keys'];
    const found = tables.map(
      (table) => `select '${table}' as place from data.${table} t where t::text like '%hidden-in-plain-sight%'`,
    );
    expect(await asAdmin(platform.database, found.join(' union all '))).toEqual([]);
    const log = await tenant.api.get<{ data: { changes: object }[] }>(
      `/api/admin/audit-logs?targetId=${id}&action=webhook.endpoint.updated`,
    );
    expect(log.body.data).toMatchObject([{ changes: { customHeaders: { from: '(concealed)', to: '(concealed)' } } }]);
  });

  it('are sent to another origin only when given for it', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant, { customHeaders: { Authorization: SECRET, 'X-Env': 'p' } });
    const other = 'http://127.0.0.2:9/hook';
    const refused = async (patch: object) => failuresOf(await tenant.api.patch<Failure>(path, patch));
    const missing = (...names: string[]) => ({
      status: 400,
      errors: names.map((name) => [`/customHeaders/${name}`, 'required']),
    });
    expect(await refused({ url: other })).toEqual(missing('Authorization', 'X-Env'));
    expect(await refused({ url: 'http://127.0.0.1:10/hook' })).toEqual(missing('Authorization', 'X-Env'));
    expect(await refused({ url: other, customHeaders: { authorization: 'Bearer new' } })).toEqual(missing('X-Env'));
    expect((await tenant.api.get(path)).body).toMatchObject({ version: 1, url: TARGET });
    expect((await tenant.api.patch(path, { url: `${TARGET}/elsewhere` })).body).toMatchObject({ version: 2 });
    expect(
      (await tenant.api.patch(path, { url: other, customHeaders: { authorization: 'Bearer new', 'X-Env': null } }))
        .body,
    ).toMatchObject({ url: other, customHeaderNames: ['authorization'] });
    expect((await tenant.api.patch(path, { url: TARGET, customHeaders: null })).body).toMatchObject({
      url: TARGET,
      customHeaderNames: [],
    });
    expect((await tenant.api.patch(path, { url: other })).body).toMatchObject({ url: other });
  });

  it('are merged by name, ignoring case', async () => {
    const tenant = await platform.tenant();
    const { path } = await existing(tenant, { customHeaders: { 'X-A': '1', 'X-B': '2' } });
    const patch = async (customHeaders: unknown) => (await tenant.api.patch(path, { customHeaders })).body;
    expect(await patch({ 'x-a': '1', 'X-C': '3' })).toMatchObject({
      customHeaderNames: ['X-B', 'x-a', 'X-C'],
      version: 2,
    });
    expect(await patch({ 'X-C': '3' })).toMatchObject({ version: 2 });
    expect(await patch({ 'X-B': null, 'x-a': null, 'X-Z': null })).toMatchObject({
      customHeaderNames: ['X-C'],
      version: 3,
    });
    expect(await patch(null)).toMatchObject({ customHeaderNames: [], version: 4 });
    expect(await patch(null)).toMatchObject({ version: 4 });
  });

  it.each([
    ['host', 'x'],
    ['Content-Type', 'x'],
    ['content-length', '1'],
    ['Connection', 'x'],
    ['Transfer-Encoding', 'x'],
    ['TE', 'x'],
    ['Upgrade', 'x'],
    ['User-Agent', 'x'],
    ['Webhook-Id', 'x'],
    ['X-Service-Signature', 'x'],
    ['Traceparent', 'x'],
    ['Cookie', 'x'],
    ['Proxy-Authorization', 'x'],
  ])('cannot be %s', async (name, value) => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post<Failure>(PATH, {
      url: TARGET,
      eventTypes: ['*'],
      customHeaders: { [name]: value },
    });
    expect(failuresOf(answer)).toEqual({ status: 400, errors: [[`/customHeaders/${name}`, 'reserved_name']] });
  });

  it.each([
    ['no token', { 'a b': 'x' }, 'invalid_format'],
    ['an empty name', { '': 'x' }, 'too_short'],
    ['a line break', { 'X-A': 'x\r\nX-B: y' }, 'invalid_format'],
    ['a control character', { 'X-A': 'x\u0001' }, 'invalid_format'],
    ['non-ASCII letters', { 'X-A': 'ü' }, 'invalid_format'],
    ['surrounding space', { 'X-A': ' x' }, 'invalid_format'],
    ['nothing', { 'X-A': '' }, 'too_short'],
    ['a value that is too long', { 'X-A': 'x'.repeat(1_025) }, 'too_long'],
    ['null', { 'X-A': null }, 'not_nullable'],
    ['a number', { 'X-A': 1 }, 'invalid_type'],
    ['a duplicate name', { 'X-A': '1', 'x-a': '2' }, 'not_unique'],
    ['eleven', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'x'])), 'too_many'],
  ])('cannot have %s', async (_case, customHeaders, code) => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post<Failure>(PATH, { url: TARGET, eventTypes: ['*'], customHeaders });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ code })]);
  });

  it('are limited in number and length, also after a merge', async () => {
    const tenant = await platform.tenant();
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`X-${i}`, 'x'.repeat(1_024)]));
    const { path } = await existing(tenant, { customHeaders: ten });
    const answer = await tenant.api.patch<Failure>(path, { customHeaders: { 'X-11': 'x' } });
    expect(failuresOf(answer)).toEqual({ status: 400, errors: [['/customHeaders', 'too_many']] });
    expect((await tenant.api.patch(path, { customHeaders: { 'X-0': null, 'X-11': 'x' } })).status).toBe(200);
  });
});

describe('the endpoint limit of the plan', () => {
  it.each([
    ['free', 3],
    ['starter', 10],
  ] as const)('holds under concurrent requests: %s', async (plan, limit) => {
    const tenant = await platform.tenant({ plan });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(tenant)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(answers.length - refused.length).toBe(limit);
    for (const { status, body } of refused)
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'plan_limit_reached', plan, limit } });
    expect((await tenant.api.get<{ data: object[] }>(PATH)).body.data).toHaveLength(limit);
  });

  it('excludes deleted endpoints and other tenants', async () => {
    const tenant = await platform.tenant({ plan: 'free' });
    await existing(await platform.tenant({ plan: 'free' }));
    const made = [await existing(tenant), await existing(tenant), await existing(tenant)];
    expect((await create(tenant)).status).toBe(409);
    await tenant.api.delete(made[1]!.path);
    expect((await create(tenant)).status).toBe(201);
    expect((await create(tenant)).status).toBe(409);
  });
});
