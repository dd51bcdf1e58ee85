import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';
const UNKNOWN = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

interface Result {
  id: string | null;
  ok: boolean;
  record: Record<string, unknown> | null;
  problem: Record<string, unknown> | null;
}
interface Batch {
  results: Result[];
}

let platform: TestPlatform;
let tenant: TestTenant;
let ids: string[];
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ids = [];
  for (let i = 0; i < 4; i++)
    ids.push(String((await tenant.api.post(DEALS, { name: `d${i}`, value: 100 })).body['id']));
});
afterAll(() => platform.close());

const at = (index: number) => ids[index]!;
const deal = async (id: string) => (await tenant.api.get(`${DEALS}/${id}`)).body;

describe('PATCH with id', () => {
  it('works like PATCH on the path of the record', async () => {
    const { status, body, headers } = await tenant.api.patch(DEALS, { id: at(0), name: 'new', nextStep: null });
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual(await deal(at(0)));
    expect(body).toMatchObject({ name: 'new', version: 2 });
  });

  it('accepts the shorthand of transitions', async () => {
    expect((await tenant.api.patch(DEALS, { id: at(0), status: 'won' })).body).toMatchObject({ status: 'won' });
  });

  it('fails in the same way', async () => {
    expect((await tenant.api.patch(DEALS, { id: UNKNOWN, name: 'x' })).status).toBe(404);
    expect((await tenant.api.patch(DEALS, { id: 'x', name: 'x' })).status).toBe(400);
    expect((await tenant.api.patch(DEALS, { id: at(0), name: null })).status).toBe(400);
    expect((await tenant.api.patch(DEALS, { id: at(0), value: 1, valueMinor: 1 })).body).toMatchObject({
      code: 'amount_mismatch',
    });
    await tenant.api.post(`${DEALS}/${at(0)}/archive`);
    expect((await tenant.api.patch(DEALS, { id: at(0), name: 'x' })).status).toBe(409);
  });

  it('returns only the fields of a deal', async () => {
    const one = await tenant.api.patch(DEALS, { id: at(0), name: 'x' });
    const many = await tenant.api.patch<Batch>(DEALS, { items: [{ id: at(1), name: 'x' }] });
    const fields = Object.keys(await deal(at(2))).sort();
    expect(Object.keys(one.body).sort()).toEqual(fields);
    expect(Object.keys(many.body.results[0]!.record!).sort()).toEqual(fields);
  });
});

describe('PATCH with items', () => {
  it('returns a result for each in order, and a failed one is rolled back individually', async () => {
    await tenant.api.post(`${DEALS}/${at(2)}/win`);
    const { status, body } = await tenant.api.patch<Batch>(DEALS, {
      items: [
        { id: at(1), name: 'one' },
        { id: UNKNOWN, name: 'nobody' },
        { id: at(2), probability: 5 },
        { id: at(3), value: 5, valueMinor: 5 },
        { id: at(0), nextStep: 'zero' },
      ],
    });
    expect(status).toBe(200);
    expect(body.results.map(({ id, ok }) => [id, ok])).toEqual([
      [at(1), true],
      [UNKNOWN, false],
      [at(2), false],
      [at(3), false],
      [at(0), true],
    ]);
    expect(body.results.map(({ problem }) => problem?.['code'] ?? null)).toEqual([
      null,
      'not_found',
      'record_locked',
      'amount_mismatch',
      null,
    ]);
    expect(body.results[0]!.record).toEqual(await deal(at(1)));
    expect(body.results[4]!.record).toMatchObject({ nextStep: 'zero', version: 2 });
    expect(await deal(at(2))).toMatchObject({ probability: 100, version: 2 });
    expect(await deal(at(3))).toMatchObject({ value: 100, version: 1 });
  });

  it('writes audit entries and events of exactly those that succeeded', async () => {
    const before = await tracesOf(platform, tenant);
    await tenant.api.patch(DEALS, {
      items: [{ id: at(0), name: 'x' }, { id: UNKNOWN, name: 'x' }, { id: at(1), name: 'x' }, { id: at(2) }],
    });
    expect(await tracesOf(platform, tenant)).toEqual({ ...before, audit: before.audit + 2, events: before.events + 2 });
  });

  it('applies changes of one record in sequence', async () => {
    const { body } = await tenant.api.patch<Batch>(DEALS, {
      items: [
        { id: at(0), name: 'a' },
        { id: at(0), nextStep: 'b' },
        { id: at(0), status: 'won' },
      ],
    });
    expect(body.results.map(({ record }) => record?.['version'])).toEqual([2, 3, 4]);
    expect(await deal(at(0))).toMatchObject({ name: 'a', nextStep: 'b', status: 'won', version: 4 });
  });

  it('changes an item with a version only if it is the current one', async () => {
    const { body } = await tenant.api.patch<Batch>(DEALS, {
      items: [
        { id: at(0), version: 1, name: 'a' },
        { id: at(1), version: 7, name: 'b' },
        { id: at(0), version: 1, name: 'c' },
      ],
    });
    expect(body.results.map(({ ok, problem }) => [ok, problem?.['code'] ?? null])).toEqual([
      [true, null],
      [false, 'version_mismatch'],
      [false, 'version_mismatch'],
    ]);
    expect(body.results[1]!.problem).toMatchObject({ status: 412, version: 1 });
    expect(await deal(at(0))).toMatchObject({ name: 'a' });
    expect(await deal(at(1))).toMatchObject({ name: 'd1' });
  });

  it('is refused as a whole when the request itself is not valid', async () => {
    const before = await tracesOf(platform, tenant);
    for (const body of [
      { items: [] },
      { items: [{ name: 'x' }] },
      { items: [{ id: at(0), name: 'x' }, { id: 'x' }] },
      {
        items: [
          { id: at(0), name: 'x' },
          { id: at(1), foo: 1 },
        ],
      },
      { items: [{ id: at(0), name: 'x' }, null] },
      { items: [{ id: at(0), version: 0 }] },
      { items: { id: at(0) } },
      { items: Array.from({ length: 101 }, () => ({ id: at(0) })) },
      { id: at(0), items: [{ id: at(0), name: 'x' }] },
      { items: [{ id: at(0), name: 'x' }], name: 'x' },
      { name: 'x' },
      {},
    ])
      expect(await tenant.api.patch(DEALS, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('accepts up to a hundred', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ id: at(i % 4), nextStep: `${i}` }));
    const { status, body } = await tenant.api.patch<Batch>(DEALS, { items });
    expect([status, body.results.filter(({ ok }) => ok).length]).toEqual([200, 100]);
  });

  it('has one effect per idempotency key', async () => {
    const items = [
      { id: at(0), name: 'once' },
      { id: UNKNOWN, name: 'x' },
    ];
    const first = await tenant.api.patch(DEALS, { items }, { 'idempotency-key': 'batch' });
    const before = await tracesOf(platform, tenant);
    const again = await tenant.api.patch(DEALS, { items }, { 'idempotency-key': 'batch' });
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    expect(await tracesOf(platform, tenant)).toEqual(before);
    expect(await deal(at(0))).toMatchObject({ version: 2 });
  });

  it('requires the right to write, and to close for items that close', async () => {
    const writer = await platform.key(tenant, ['deals:write', 'deals:read']);
    const { status, body } = await writer.patch<Batch>(DEALS, {
      items: [
        { id: at(0), name: 'x' },
        { id: at(1), status: 'won' },
      ],
    });
    expect(status).toBe(200);
    expect(body.results.map(({ problem }) => problem?.['code'] ?? null)).toEqual([null, 'permission_denied']);
    expect(
      (await (await platform.key(tenant, ['deals:read'])).patch(DEALS, { items: [{ id: at(0), name: 'y' }] })).status,
    ).toBe(403);
    expect(await deal(at(1))).toMatchObject({ status: 'open' });
  });
});

describe('POST with items', () => {
  const two = [{ name: 'first', value: 100 }, { name: 'second' }];

  it('creates a record for each, and a refused one is rolled back individually', async () => {
    const { status, body, headers } = await tenant.api.post<Batch>(DEALS, {
      items: [
        { name: 'a', externalRefs: [{ system: 'crm', id: '7' }] },
        { name: 'b', value: 5, valueMinor: 5 },
        { name: 'c', externalRefs: [{ system: 'crm', id: '7' }] },
        { name: 'd', accountId: UNKNOWN },
        { name: 'e', nextStep: 'last' },
      ],
    });
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([200, null, null]);
    expect(body.results.map(({ ok, problem }) => [ok, problem?.['code'] ?? null])).toEqual([
      [true, null],
      [false, 'amount_mismatch'],
      [false, 'duplicate'],
      [false, 'validation_failed'],
      [true, null],
    ]);
    expect(body.results[3]!.problem).toMatchObject({ errors: [{ pointer: '/accountId', code: 'unknown_reference' }] });
    for (const index of [0, 4]) {
      const { id, record } = body.results[index]!;
      expect(record).toEqual(await deal(id!));
    }
    expect(body.results.flatMap(({ id }) => id ?? [])).toHaveLength(2);
  });

  it('writes audit entries and events of exactly those that succeeded', async () => {
    const before = await tracesOf(platform, tenant);
    await tenant.api.post(DEALS, { items: [{ name: 'x', value: 1, valueMinor: 1 }, ...two] });
    const after = await tracesOf(platform, tenant);
    const { deals, audit, events } = before;
    expect(after).toEqual({ ...before, deals: deals + 2, audit: audit + 2, events: events + 2 });
  });

  it('has one effect per idempotency key', async () => {
    const headers = { 'idempotency-key': 'several' };
    const first = await tenant.api.post<Batch>(DEALS, { items: two }, headers);
    const before = await tracesOf(platform, tenant);
    const again = await tenant.api.post(DEALS, { items: two }, headers);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    expect(await tracesOf(platform, tenant)).toEqual(before);
    expect((await tenant.api.post(DEALS, { items: [two[0]] }, headers)).status).toBe(422);
  });

  it('is refused as a whole when the request itself is not valid', async () => {
    const before = await tracesOf(platform, tenant);
    for (const body of [
      { items: [] },
      { items: {} },
      { items: null },
      { items: [{ name: 'x' }, { value: 1 }] },
      { items: [{ name: 'x' }, { name: 'y', foo: 1 }] },
      { items: [{ name: 'x' }, null] },
      { items: two, name: 'x' },
      { items: Array.from({ length: 101 }, () => ({ name: 'x' })) },
    ])
      expect(await tenant.api.post(DEALS, body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const { body } = await tenant.api.post(DEALS, { items: [{ name: 'x' }, { value: 1 }] });
    expect(body).toMatchObject({ errors: [{ pointer: '/items/1/name', code: 'required' }] });
    expect(await tracesOf(platform, tenant)).toEqual(before);
  });

  it('creates up to a hundred, with the permission to create', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ name: `n${i}` }));
    const { status, body } = await tenant.api.post<Batch>(DEALS, { items });
    expect([status, body.results.filter(({ ok }) => ok).length]).toEqual([200, 100]);
    expect(new Set(body.results.map(({ record }) => record!['reference'])).size).toBe(100);
    const reader = await platform.key(tenant, ['deals:read']);
    expect((await reader.post(DEALS, { items })).status).toBe(403);
  });
});

describe('DELETE', () => {
  it('with id works like DELETE on the path of the record', async () => {
    const { status, body } = await tenant.api.delete(`${DEALS}?id=${at(0)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: at(0), object: 'sales.deal', deleted: true });
    expect((await tenant.api.get(`${DEALS}/${at(0)}`)).status).toBe(404);
    expect((await tenant.api.delete(`${DEALS}?id=${at(0)}`)).status).toBe(404);
  });

  it('with ids returns a result for each in order', async () => {
    await tenant.api.post(`${DEALS}/${at(2)}/win`);
    const before = await tracesOf(platform, tenant);
    const { status, body } = await tenant.api.delete<Batch>(`${DEALS}?ids=${[at(1), UNKNOWN, at(2), at(3)].join(',')}`);
    expect(status).toBe(200);
    expect(body.results.map(({ id, ok, problem }) => [id, ok, problem?.['code'] ?? null])).toEqual([
      [at(1), true, null],
      [UNKNOWN, false, 'not_found'],
      [at(2), false, 'record_locked'],
      [at(3), true, null],
    ]);
    expect(body.results[0]!.record).toMatchObject({ id: at(1), deleted: true });
    expect(await tracesOf(platform, tenant)).toEqual({ ...before, audit: before.audit + 2, events: before.events + 2 });
    const { body: left } = await tenant.api.get<{ data: { id: string }[] }>(`${DEALS}?sort=name`);
    expect(left.data.map(({ id }) => id)).toEqual([at(0), at(2)]);
  });

  it('is refused without an id, with both, and with too many', async () => {
    const many = Array.from({ length: 101 }, (_, i) => `019aa5f4-9a52-7c31-8c1e-0c9a4a3f${1000 + i}`).join(',');
    for (const query of [
      '',
      '?id=x',
      '?ids=',
      `?ids=${at(0)},x`,
      `?id=${at(0)}&ids=${at(1)}`,
      `?ids=${many}`,
      `?ids=${at(0)},${at(0)}`,
      '?status=open',
      `?id=${at(0)}&force=true`,
    ]) {
      const { status, body } = await tenant.api.delete(DEALS + query);
      expect([query, status, body['code']]).toEqual([query, 400, 'validation_failed']);
    }
    const { body } = await tenant.api.get<{ data: object[] }>(DEALS);
    expect(body.data).toHaveLength(4);
  });
});
