import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  async function stageOne(more: Record<string, unknown>) {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, more);
    return { tenant, receiver, endpoint };
  }

  describe('a filter', () => {
    it('matches the record of each event; other events are neither delivered nor stored for the endpoint', async () => {
      const filter = {
        and: [
          { field: 'name', op: 'starts_with', value: 'Big' },
          { field: 'value', op: 'gte', value: 1 },
        ],
      };
      const { tenant, receiver, endpoint } = await stageOne({ filter, eventTypes: ['sales.deal.created'] });
      await stage.deal(tenant, 'Small one');
      await stage.deal(tenant, 'Big one');
      await stage.deal(tenant, 'big, but not so');
      await stage.deal(tenant, 'Big too');
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(receiver.received.map(({ event }) => event.data['name']).sort()).toEqual(['Big one', 'Big too']);
    });
  });

  describe('a thin payload', () => {
    it('contains the event and its subject, without the record', async () => {
      const { tenant, receiver, endpoint } = await stageOne({ payloadMode: 'thin' });
      const id = await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received[0]!.event).toMatchObject({
        type: 'sales.deal.created',
        data: { thin: true },
        changes: null,
        subject: { id, url: `/api/v1/sales/deals/${id}` },
      });
      expect(receiver.received[0]!.body).not.toContain('Acme renewal');
    });

    it('stays the same in every attempt, even if the endpoint changes meanwhile', async () => {
      const { tenant, receiver, endpoint } = await stageOne({ payloadMode: 'thin' });
      receiver.answer = { status: 500 };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      const patched = await tenant.api.patch(endpoint.path, { payloadMode: 'full' });
      expect(patched.status).toBe(200);
      receiver.answer = { status: 204 };
      await stage.makeDue(endpoint);
      await stage.statuses(endpoint, ['delivered']);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    });
  });

  describe('headers of the endpoint', () => {
    it('are sent with every attempt, encrypted at rest, and never override those of the platform', async () => {
      const customHeaders = { 'x-api-key': 'sesame-0815', 'X-Team': 'billing' };
      const { tenant, receiver, endpoint } = await stageOne({ customHeaders });
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      const { headers } = receiver.received[0]!;
      expect(headers).toMatchObject({ 'x-api-key': 'sesame-0815', 'x-team': 'billing', 'x-service-attempt': '1' });
      const [row] = await stage.sql<object>('select * from data.webhook_endpoints where id = $1', [endpoint.id]);
      const events = await stage.sql<object>(
        `select envelope from data.events where subject_id = $1
       union all select to_jsonb(a)::text from data.audit_log a where target_id = $1`,
        [endpoint.id],
      );
      expect(events.length).toBeGreaterThan(0);
      expect(JSON.stringify([row, events, await tenant.api.get(endpoint.path)])).not.toContain('sesame');
    });
  });
});
