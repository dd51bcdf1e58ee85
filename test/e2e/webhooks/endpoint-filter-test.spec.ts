import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const LARGE = { field: 'valueMinor', op: 'gte', value: 1_000_000 };
const OPEN = { field: 'status', op: 'eq', value: 'open' };

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

async function endpoint(tenant: TestTenant, filter: object | null = null) {
  const { body } = await tenant.api.post<{ id: string }>('/api/webhooks/endpoints', {
    url: 'http://127.0.0.1:9/hook',
    eventTypes: ['sales.deal.*'],
    filter,
  });
  return (test: object) =>
    tenant.api.post<{ matches: boolean; conditions: object[]; errors: object[] }>(
      `/api/webhooks/endpoints/${body.id}/filter/test`,
      test,
    );
}

const counts = (tenant: TestTenant) =>
  asAdmin(
    platform.database,
    `select (select count(*) from data.events where tenant_id = $1) as events,
       (select count(*) from data.audit_log where tenant_id = $1) as entries`,
    [tenant.id],
  );

describe('a test of a filter', () => {
  it('reports the result of each condition for a given event', async () => {
    const tenant = await platform.tenant();
    const test = await endpoint(tenant, { and: [LARGE, { not: OPEN }] });
    const before = await counts(tenant);
    const { status, body } = await test({ event: { id: 'x', data: { valueMinor: 2_500_000, status: 'open' } } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        matches: false,
        conditions: [
          { pointer: '/and/0', ...LARGE, present: true, found: 2_500_000, held: true },
          { pointer: '/and/1/not', ...OPEN, present: true, found: 'open', held: true },
        ],
      },
    });
    expect((await test({ event: { data: { valueMinor: 2_500_000 } } })).body).toMatchObject({
      matches: true,
      conditions: [{}, { present: false, found: null, held: false }],
    });
    expect(await counts(tenant)).toEqual(before);
  });

  it('accepts a filter other than that of the endpoint, which may have none', async () => {
    const tenant = await platform.tenant();
    const test = await endpoint(tenant);
    const event = { data: { status: 'open', tags: ['a', { b: 1 }], account: { tier: 'gold' } } };
    expect((await test({ event })).body).toEqual({ matches: true, conditions: [] });
    expect((await test({ event, filter: LARGE })).body).toMatchObject({ matches: false });
    expect((await test({ event, filter: { field: 'tags', op: 'in', value: ['a'] } })).body).toMatchObject({
      matches: true,
      conditions: [{ value: ['a'], found: ['a', {}] }],
    });
    const wrong = await test({ event, filter: { and: [] } });
    expect(wrong.body.errors).toMatchObject([{ pointer: '/filter/and', code: 'too_few' }]);
  });

  it('accepts only events of the tenant', async () => {
    const tenant = await platform.tenant();
    const test = await endpoint(tenant, LARGE);
    await tenant.api.post('/api/v1/sales/deals', { name: 'Acme', value: 25_000 });
    const [event] = await asAdmin<{ id: string }>(
      platform.database,
      `select id from data.events where tenant_id = $1 and type = 'sales.deal.created'`,
      [tenant.id],
    );
    expect((await test({ eventId: event!.id })).body).toMatchObject({
      matches: true,
      conditions: [{ found: 2_500_000 }],
    });
    const stranger = await endpoint(await platform.tenant(), LARGE);
    for (const answer of [await stranger({ eventId: event!.id }), await test({ eventId: uuidv7() })]) {
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toMatchObject([{ pointer: '/eventId', code: 'unknown_reference' }]);
    }
  });

  it('accepts the example of an event type', async () => {
    const tenant = await platform.tenant();
    const test = await endpoint(tenant, { field: 'object', op: 'eq', value: 'sales.deal' });
    expect((await test({ eventType: 'sales.deal.won' })).body).toMatchObject({ matches: true });
    expect((await test({ eventType: 'sales.lead.created' })).body).toMatchObject({ matches: false });
    expect((await test({ eventType: 'sales.deal.exploded' })).body.errors).toMatchObject([
      { pointer: '/eventType', code: 'unknown_event_type' },
    ]);
  });

  it.each<[string, object, string, string]>([
    ['none', {}, '/eventId', 'required'],
    ['two', { eventType: 'sales.deal.won', event: { data: {} } }, '/eventType', 'ambiguous'],
    ['one without data', { event: {} }, '/event/data', 'required'],
    ['one whose data is a list', { event: { data: [] } }, '/event/data', 'invalid_type'],
    ['a string', { event: 'x' }, '/event', 'invalid_type'],
  ])('needs one event, not %s', async (_case, body, pointer, code) => {
    const test = await endpoint(await platform.tenant(), LARGE);
    const answer = await test(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });
});
