import { until } from '#libs/testing/until.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { TestTenant } from '../../harness/platform.js';
import { BACKENDS, Stage, type TestEndpoint } from '../../worker/stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  interface Entry {
    id: string;
    eventId: string;
    status: string;
    payload: unknown;
    nextAttemptAt: string | null;
  }
  interface Summary {
    byStatus: Record<string, number>;
    oldestPendingSeconds: number | null;
    deliveredLastHour: number;
    failureRateLastHour: number | null;
    perDestination: { destination: { id: string }; waiting: number; deliveredLastHour: number }[];
  }
  interface Page {
    data: Entry[];
    page: { hasMore: boolean; nextCursor: string | null };
    summary: Summary | null;
  }

  const OUTBOX = '/api/admin/outbox';
  const list = async (tenant: TestTenant, query = '') => (await tenant.api.get<Page>(`${OUTBOX}?${query}`)).body;
  const ids = ({ data }: Page) => data.map(({ id }) => id).sort();

  async function stageOne() {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    return { tenant, receiver, endpoint };
  }

  async function setStatus(id: string, status: string): Promise<void> {
    await stage.sql(
      `update data.webhook_deliveries set status = $2, delivered_at = case $2 when 'delivered' then now() end where id = $1`,
      [id, status],
    );
    await stage.sql('delete from data.webhook_queue where delivery_id = $1', [id]);
    if (status === 'pending' || status === 'retrying')
      await stage.sql(
        `insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, due_at)
       select tenant_id, id, endpoint_id, subject_id, sequence, now() + interval '1 hour'
       from data.webhook_deliveries where id = $1`,
        [id],
      );
  }

  /** Lets a worker lease the delivery for a minute. */
  const lease = (endpoint: TestEndpoint, id: string) =>
    stage.sql(
      `insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, due_at, leased_until, lease_token)
     select tenant_id, id, endpoint_id, subject_id, sequence, now(), now() + interval '1 hour', $2
     from data.webhook_deliveries where id = $1 and endpoint_id = $3`,
      [id, stage.leaseToken(), endpoint.id],
    );

  describe('the outbox', () => {
    it('has one entry per event and destination, with its last attempt', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      receiver.answer = { status: 500, body: 'broken' };
      const subjectId = await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      const { data } = await list(tenant);
      expect(data).toMatchObject([
        {
          object: 'webhook.delivery',
          eventType: 'sales.deal.created',
          subject: { type: 'sales.deal', id: subjectId },
          destination: { type: 'webhook', id: endpoint.id, name: new URL(receiver.url).host },
          status: 'retrying',
          attempts: 1,
          maxAttempts: 15,
          leaseUntil: null,
          lastAttempt: { httpStatus: 500, error: 'http_status', responseExcerpt: 'broken' },
          generation: 1,
          skipReason: null,
          deliveredAt: null,
          payload: null,
        },
      ]);
      expect(Date.parse(data[0]!.nextAttemptAt!)).toBeGreaterThan(Date.now() - 1_000);
      const shown = await list(tenant, 'include=payload');
      expect(shown.data[0]!.payload).toEqual(JSON.parse(receiver.received[0]!.body));
    });

    it('can be filtered by status, including in_flight', async () => {
      const { tenant, endpoint } = await stageOne();
      const statuses = ['pending', 'retrying', 'delivered', 'exhausted', 'held', 'skipped'];
      await tenant.api.post(`${endpoint.path}/pause`);
      for (const _ of [...statuses, 'in_flight']) await stage.deal(tenant);
      const rows = await stage.statuses(
        endpoint,
        [...statuses, 'in_flight'].map(() => 'held'),
      );
      for (const [index, status] of statuses.entries()) await setStatus(rows[index]!.id, status);
      await lease(endpoint, rows[6]!.id);
      for (const [index, status] of [...statuses, 'in_flight'].entries()) {
        const { data } = await list(tenant, `status=${status}`);
        expect(data.map(({ id, status: shown }) => [id, shown])).toEqual([[rows[index]!.id, status]]);
        expect(ids(await list(tenant, `status[ne]=${status}`))).toHaveLength(6);
      }
      const some = await list(tenant, 'status[in]=in_flight,held');
      expect(ids(some)).toEqual([rows[4]!.id, rows[6]!.id].sort());
      const { summary } = await list(tenant);
      expect(summary!.byStatus).toEqual(Object.fromEntries([...statuses, 'in_flight'].map((each) => [each, 1])));
      expect(summary!.oldestPendingSeconds).toBeGreaterThanOrEqual(0);
      const path = `/api/webhooks/endpoints/${endpoint.id}/deliveries`;
      const { body } = await tenant.api.get<Page>(`${path}?status=in_flight`);
      expect(body.data.map(({ id }) => id)).toEqual([rows[6]!.id]);
    });

    it('can be filtered by type, destination, subject and age, and paged', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const other = await stage.endpoint(tenant, receiver.url, { eventTypes: ['sales.deal.won'] });
      const first = await stage.deal(tenant);
      await stage.deal(tenant);
      await tenant.api.post(`/api/v1/sales/deals/${first}/win`);
      await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered']);
      await stage.statuses(other, ['delivered']);
      await stage.sql(
        `update data.webhook_deliveries set created_at = created_at - interval '1 day' where endpoint_id = $1`,
        [other.id],
      );
      const count = async (query: string) => (await list(tenant, query)).data.length;
      const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
      expect(await count('')).toBe(4);
      expect(await count('eventType=sales.deal.won')).toBe(2);
      expect(await count(`destinationId=${other.id}`)).toBe(1);
      expect(await count(`destinationType=webhook&destinationId[ne]=${other.id}`)).toBe(3);
      expect(await count(`subjectId=${first}`)).toBe(3);
      expect(await count(`from=${hourAgo}`)).toBe(3);
      expect(await count(`to=${hourAgo}`)).toBe(1);
      expect(await count('olderThanSeconds=3600')).toBe(1);
      expect((await tenant.api.get(`${OUTBOX}?destinationType=email`)).status).toBe(400);
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { data, page, summary }: Page = await list(tenant, `limit=3&olderThanSeconds=0${cursor}`);
        seen.push(...data.map(({ id }) => id));
        expect(summary === null).toBe(cursor !== '');
        if (page.nextCursor === null) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      expect(new Set(seen).size).toBe(4);
    });

    it('has figures in total, for the last hour and for each destination', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const empty = await list(tenant);
      expect(empty.summary).toMatchObject({
        oldestPendingSeconds: null,
        deliveredLastHour: 0,
        failureRateLastHour: null,
      });
      for (let each = 0; each < 3; each++) await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered']);
      receiver.answer = { status: 500 };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered', 'retrying']);
      await stage.sql(
        `insert into data.webhook_stats (tenant_id, endpoint_id, minute, delivered, failed, durations)
       values ($1, $2, date_trunc('minute', now()) - interval '60 minutes', 100, 100, '{}')`,
        [tenant.id, endpoint.id],
      );
      // Workers write figures about every second.
      const { summary } = await until(async () => {
        const page = await list(tenant);
        return page.summary!.failureRateLastHour === 0.25 ? page : null;
      });
      expect(summary).toEqual({
        byStatus: { pending: 0, in_flight: 0, retrying: 1, delivered: 3, exhausted: 0, held: 0, skipped: 0 },
        oldestPendingSeconds: null,
        deliveredLastHour: 3,
        failureRateLastHour: 0.25,
        perDestination: [
          {
            destination: { type: 'webhook', id: endpoint.id, name: new URL(receiver.url).host },
            waiting: 1,
            deliveredLastHour: 3,
            failureRateLastHour: 0.25,
          },
        ],
      });
    });

    it('requires permission and shows nothing of another tenant', async () => {
      const { tenant, endpoint } = await stageOne();
      await stage.deal(tenant);
      const [delivery] = await stage.statuses(endpoint, ['delivered']);
      const stranger = await stage.platform.tenant();
      expect(await list(stranger)).toMatchObject({ data: [], summary: { perDestination: [] } });
      for (const action of ['replay', 'skip'])
        expect((await stranger.api.post(`${OUTBOX}/${delivery!.id}/${action}`, { reason: 'x' })).status).toBe(404);
      const reader = await stage.platform.key(tenant, ['outbox:read']);
      expect((await reader.get(OUTBOX)).status).toBe(200);
      expect((await reader.post(`${OUTBOX}/${delivery!.id}/replay`)).status).toBe(403);
      expect((await reader.post(OUTBOX, { endpointId: endpoint.id })).status).toBe(403);
      const webhooks = await stage.platform.key(tenant, ['webhooks:*']);
      expect((await webhooks.get(OUTBOX)).status).toBe(403);
    });
  });

  describe('publish_test', () => {
    it('sends immediately and returns the result', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const answer = await tenant.api.post(OUTBOX, { endpointId: endpoint.id });
      expect(answer).toMatchObject({
        status: 200,
        body: { matched: 1, affected: 1, test: { delivered: true, httpStatus: 200, error: null } },
      });
      const typed = { action: 'publish_test', endpointId: endpoint.id, eventType: 'sales.deal.won' };
      await tenant.api.post(OUTBOX, typed, { 'idempotency-key': 'a-test' });
      const again = await tenant.api.post(OUTBOX, typed, { 'idempotency-key': 'a-test' });
      expect(again).toMatchObject({ status: 200, body: { test: { delivered: true } } });
      expect(receiver.received.map(({ event }) => event.type)).toEqual(['webhook.ping', 'sales.deal.won']);
      await tenant.api.post(OUTBOX, { ...typed, dryRun: true });
      expect(receiver.received).toHaveLength(2);
      const { body } = await tenant.api.get<{ data: unknown[] }>('/api/admin/audit-logs?action=outbox.test_published');
      expect(body.data).toMatchObject([{ target: { id: endpoint.id } }, { target: { id: endpoint.id } }]);
      expect((await list(tenant)).data).toEqual([]);
    });

    it('requires an existing endpoint and no other selection', async () => {
      const { tenant, endpoint } = await stageOne();
      const refused = async (body: object, errors: object[]) =>
        expect(await tenant.api.post(OUTBOX, body)).toMatchObject({ status: 400, body: { errors } });
      await refused({}, [{ pointer: '/action', code: 'required' }]);
      await refused({ action: 'publish_test' }, [{ pointer: '/endpointId', code: 'required' }]);
      await refused({ endpointId: uuidv7() }, [{ pointer: '/endpointId', code: 'unknown_reference' }]);
      await refused({ action: 'publish_test', endpointId: endpoint.id, filter: { status: ['held'] }, limit: 3 }, [
        { pointer: '/filter', code: 'not_with_action' },
        { pointer: '/limit', code: 'not_with_action' },
      ]);
      await refused({ endpointId: endpoint.id, eventType: 'sales.nothing' }, [
        { pointer: '/eventType', code: 'unknown_event_type' },
      ]);
      await tenant.api.delete(endpoint.path);
      await refused({ endpointId: endpoint.id }, [{ pointer: '/endpointId', code: 'unknown_reference' }]);
    });
  });
});
