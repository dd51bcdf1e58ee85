import type { Received } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  async function stageOne() {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    return { tenant, receiver, endpoint };
  }

  /** Seconds from the end of the latest attempt to the next one. */
  async function pauseOf(endpoint: TestEndpoint): Promise<number> {
    const [row] = await stage.sql<{ seconds: string }>(
      `select extract(epoch from q.due_at - max(a.started_at + a.duration_ms * interval '1 ms')) as seconds
     from data.webhook_queue q join data.webhook_attempts a on a.delivery_id = q.delivery_id
     where q.endpoint_id = $1 group by q.due_at`,
      [endpoint.id],
    );
    return Number(row!.seconds);
  }

  const asked = (header: string) => ({ status: 503, headers: { 'retry-after': header } });

  describe('a failed delivery', () => {
    it('is retried on the schedule with the same id and the same bytes until it succeeds', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      receiver.answer = { status: 500, body: 'not today' };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      const first = await pauseOf(endpoint);
      expect(first).toBeGreaterThanOrEqual(4.9);
      expect(first).toBeLessThan(16);
      await stage.makeDue(endpoint);
      await stage.attempts(endpoint, 2);
      const second = await pauseOf(endpoint);
      expect(second).toBeGreaterThanOrEqual(59.9);
      expect(second).toBeLessThan(90);
      receiver.answer = { status: 204 };
      await stage.makeDue(endpoint);
      await stage.statuses(endpoint, ['delivered']);

      const one = (read: (received: Received) => unknown) => new Set(receiver.received.map(read)).size;
      expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
      expect(one(({ headers }) => headers['webhook-id'])).toBe(1);
      expect(one(({ headers }) => headers['x-service-delivery'])).toBe(1);
      expect(one(({ body }) => body)).toBe(1);
    });

    it('is exhausted after the 15th attempt', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      receiver.answer = { status: 500 };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      await stage.sql(`update data.webhook_deliveries set attempts = 14, attempt_count = 14 where endpoint_id = $1`, [
        endpoint.id,
      ]);
      await stage.makeDue(endpoint);
      const [delivery] = await stage.statuses(endpoint, ['exhausted']);
      expect(delivery).toMatchObject({ attempts: 15, due_at: null });
      expect(receiver.received.at(-1)!.headers['x-service-attempt']).toBe('15');
    });

    it('respects Retry-After, as seconds or date, up to one day', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      receiver.answer = asked('120');
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      expect(await pauseOf(endpoint)).toBeGreaterThanOrEqual(119.9);

      receiver.answer = () => asked(new Date(Date.now() + 3_600_000).toUTCString());
      await stage.makeDue(endpoint);
      await stage.attempts(endpoint, 2);
      const untilDate = await pauseOf(endpoint);
      expect(untilDate).toBeGreaterThan(3_595);
      expect(untilDate).toBeLessThan(3_620);

      receiver.answer = asked('9999999');
      await stage.makeDue(endpoint);
      await stage.attempts(endpoint, 3);
      const longest = await pauseOf(endpoint);
      expect(longest).toBeGreaterThan(86_399);
      expect(longest).toBeLessThan(86_420);
    });

    it('has its attempts logged with their errors', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      receiver.answer = { status: 302, headers: { location: receiver.url }, body: 'elsewhere' };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['retrying']);
      receiver.answer = (_received, response) => {
        response.destroy();
        return 'open';
      };
      await stage.makeDue(endpoint);
      await stage.attempts(endpoint, 2);
      const [delivery] = await stage.deliveries(endpoint);
      const { body } = await tenant.api.get<{ attempts: object[] }>(`/api/webhooks/deliveries/${delivery!.id}`);
      expect(body.attempts).toMatchObject([
        { number: 1, httpStatus: 302, error: 'redirect', responseExcerpt: 'elsewhere' },
        { number: 2, httpStatus: null, error: 'connection_reset', responseExcerpt: null },
      ]);
      // A broken keep-alive connection is retried immediately once; the redirect was not followed.
      expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
    });
  });

  describe('410 Gone', () => {
    it('disables the endpoint immediately, with audit entry and event, and holds its open deliveries', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const watcher = await stage.receiver();
      const watching = await stage.endpoint(tenant, watcher.url, { eventTypes: ['webhook.endpoint.disabled'] });
      receiver.answer = { status: 410 };
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['held']);
      const shown = await tenant.api.get(endpoint.path);
      expect(shown.body).toMatchObject({ status: 'disabled', disabledReason: 'endpoint_gone', version: 2 });
      await stage.statuses(watching, ['delivered']);
      expect(watcher.received[0]!.event).toMatchObject({
        data: { id: endpoint.id, status: 'disabled' },
        actor: { type: 'system', name: 'webhook delivery' },
      });
      const logs = await tenant.api.get<{ data: object[] }>(`/api/admin/audit-logs?targetId=${endpoint.id}`);
      expect(logs.body.data[0]).toMatchObject({ action: 'webhook.endpoint.disabled', actor: { type: 'system' } });

      await stage.deal(tenant);
      await stage.statuses(endpoint, ['held', 'held']);
      expect(receiver.received).toHaveLength(1);
      receiver.answer = { status: 200 };
      await tenant.api.post(`${endpoint.path}/enable`);
      const [first] = await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(first!.attempts).toBe(2);
    });
  });
});
