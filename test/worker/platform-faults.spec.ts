import { Metrics } from '#libs/metrics/metrics.js';
import { until } from '#libs/testing/until.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  /** Replaces the secret of the endpoint with data that cannot be decrypted; returns the original. */
  async function breakSecret({ id }: TestEndpoint): Promise<string> {
    const [{ sealed }] = (await stage.sql<{ sealed: string }>(
      'select secret_sealed as sealed from data.webhook_endpoints where id = $1',
      [id],
    )) as [{ sealed: string }];
    await setSecret(id, `${sealed.slice(0, -8)}AAAAAAA=`);
    return sealed;
  }
  const setSecret = (id: string, sealed: string) =>
    stage.sql('update data.webhook_endpoints set secret_sealed = $2 where id = $1', [id, sealed]);
  const makeDue = ({ id }: TestEndpoint) =>
    stage.sql(
      'update data.webhook_queue set due_at = now() where endpoint_id = $1 and due_at > now() and lease_token is null',
      [id],
    );
  /** Waits until the first delivery waits for a retry; returns the remaining seconds. */
  const postponed = (endpoint: TestEndpoint) =>
    until(async () => {
      const [first] = await stage.deliveries(endpoint);
      const seconds = first?.due_at && !first.leased_until ? (first.due_at.getTime() - Date.now()) / 1_000 : 0;
      return seconds > 1 ? seconds : null;
    });

  describe('a delivery that the platform cannot prepare', () => {
    it.each([
      ['is sent directly', {}],
      ['goes through the queue', { maxPerSecond: 1_000 }],
      ['is in an ordered lane', { ordering: 'per_resource' }],
    ])('waits without using attempts or counting as an endpoint failure if it %s', async (_way, more) => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      const endpoint = await stage.endpoint(tenant, receiver.url, more);
      const sealed = await breakSecret(endpoint);
      const worker = await stage.worker();
      const deal = await stage.deal(tenant);
      const seconds = await postponed(endpoint);
      expect(seconds).toBeGreaterThan(8);
      expect(seconds).toBeLessThan(60);
      await tenant.api.patch(`/api/v1/sales/deals/${deal}`, { name: 'second' });
      await until(async () => (await stage.deliveries(endpoint)).length === 2);

      const shown = await tenant.api.get<{ data: Record<string, unknown>[] }>(`${endpoint.path}/deliveries`);
      expect(shown.body.data.at(-1)).toMatchObject({ status: 'pending', attempts: [] });
      const { body } = await tenant.api.get<{ health: object }>(endpoint.path);
      expect(body.health).toMatchObject({ status: 'healthy', failedAttempts: 0, failingSince: null });
      const { body: stats } = await tenant.api.get(`${endpoint.path}/stats`);
      expect(stats).toMatchObject({ failed24h: 0 });
      expect(await worker.get(Metrics).registry.metrics()).toMatch(/^webhook_platform_faults_total [1-9]/m);

      await setSecret(endpoint.id, sealed);
      await until(async () => {
        await makeDue(endpoint);
        return (await stage.deliveries(endpoint)).every(({ status }) => status === 'delivered');
      });
      expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '1']);
      if ('ordering' in more)
        expect(receiver.received.map(({ event }) => event.type)).toEqual(['sales.deal.created', 'sales.deal.updated']);
    });

    it('is reported on a requested attempt, and keeps its status', async () => {
      const tenant = await stage.platform.tenant();
      const receiver = await stage.receiver();
      const endpoint = await stage.endpoint(tenant, receiver.url);
      await stage.worker();
      await stage.deal(tenant);
      const { id } = (await stage.statuses(endpoint, ['delivered']))[0]!;
      await breakSecret(endpoint);
      expect((await tenant.api.post(`/api/webhooks/deliveries/${id}/resend`)).status).toBe(202);
      const attempt = await until(async () => {
        const { body } = await tenant.api.get<{ status: string; attempts: object[] }>(`/api/webhooks/deliveries/${id}`);
        return body.attempts.length === 2 ? { status: body.status, last: body.attempts.at(-1) } : null;
      });
      expect(attempt).toMatchObject({
        status: 'delivered',
        last: { error: 'invalid_request', errorDetail: 'PLATFORM_FAULT' },
      });
    });
  });
});
