import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../../harness/platform.js';
import { BACKENDS, Stage, type TestEndpoint } from '../../worker/stage.js';

interface Delivery {
  id: string;
  status: string;
  generation: number;
  attemptsUsed: number;
  attemptCount: number;
  nextAttemptAt: string | null;
  deliveredAt: string | null;
  attempts: { number: number; cause: string; error: string | null }[];
}

const pathOf = (id: string) => `/api/webhooks/deliveries/${id}`;

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    await stage.worker();
  });
  afterAll(() => stage.close());

  async function stageOne(status = 200) {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    receiver.answer = { status };
    const endpoint = await stage.endpoint(tenant, receiver.url);
    return { tenant, receiver, endpoint };
  }

  const resend = (tenant: TestTenant, id: string) => tenant.api.post<Delivery>(`${pathOf(id)}/resend`);
  const read = async (tenant: TestTenant, id: string) => (await tenant.api.get<Delivery>(pathOf(id))).body;

  /** The delivery after a number of attempts. */
  const afterAttempts = (tenant: TestTenant, id: string, count: number): Promise<Delivery> =>
    until(async () => {
      const delivery = await read(tenant, id);
      return delivery.attemptCount === count && delivery.status !== 'in_flight' ? delivery : null;
    });

  async function firstDelivery(tenant: TestTenant, endpoint: TestEndpoint, status: string): Promise<string> {
    await stage.deal(tenant);
    const [delivery] = await stage.statuses(endpoint, [status]);
    return delivery!.id;
  }

  describe('a manually resent delivery', () => {
    it('is attempted again with the same event id even if it was delivered', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const id = await firstDelivery(tenant, endpoint, 'delivered');
      const { deliveredAt } = await read(tenant, id);
      const answer = await resend(tenant, id);
      expect(answer.status).toBe(202);
      const after = await afterAttempts(tenant, id, 2);
      expect(after).toMatchObject({ status: 'delivered', generation: 1, attemptsUsed: 1 });
      expect(after.attempts.map(({ number, cause }) => [number, cause])).toEqual([
        [1, 'schedule'],
        [2, 'manual'],
      ]);
      expect(Date.parse(after.deliveredAt!)).toBeGreaterThanOrEqual(Date.parse(deliveredAt!));
      const [first, second] = receiver.received;
      expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(second!.body).toBe(first!.body);
      expect(second!.headers['x-service-attempt']).toBe('2');
    });

    it('uses no attempt of the schedule: a failure keeps status and scheduled retry', async () => {
      const { tenant, endpoint } = await stageOne(500);
      const id = await firstDelivery(tenant, endpoint, 'retrying');
      await stage.sql(`update data.webhook_queue set due_at = now() + interval '1 hour' where delivery_id = $1`, [id]);
      const before = await read(tenant, id);
      expect((await resend(tenant, id)).status).toBe(202);
      const after = await afterAttempts(tenant, id, 2);
      const { status, attemptsUsed, nextAttemptAt } = before;
      expect(after).toMatchObject({ status, attemptsUsed, nextAttemptAt });
      expect(after.attempts[1]).toMatchObject({ cause: 'manual', error: 'http_status' });
    });

    it('is closed when the attempt succeeds: no retry remains', async () => {
      const { tenant, receiver, endpoint } = await stageOne(500);
      const id = await firstDelivery(tenant, endpoint, 'retrying');
      await stage.sql(`update data.webhook_queue set due_at = now() + interval '1 hour' where delivery_id = $1`, [id]);
      receiver.answer = { status: 200 };
      await resend(tenant, id);
      const after = await afterAttempts(tenant, id, 2);
      expect(after).toMatchObject({ status: 'delivered', nextAttemptAt: null, attemptsUsed: 1 });
      expect(await stage.sql('select 1 from data.webhook_queue where delivery_id = $1', [id])).toEqual([]);
    });

    it.each(['pause', 'disable'])('is sent even if the endpoint accepts no deliveries: %s', async (action) => {
      const { tenant, receiver, endpoint } = await stageOne(500);
      await tenant.api.post(`${endpoint.path}/${action}`);
      const id = await firstDelivery(tenant, endpoint, 'held');
      await resend(tenant, id);
      expect(await afterAttempts(tenant, id, 1)).toMatchObject({ status: 'held', attemptsUsed: 0 });
      receiver.answer = { status: 200 };
      await resend(tenant, id);
      expect(await afterAttempts(tenant, id, 2)).toMatchObject({ status: 'delivered' });
      expect(receiver.received).toHaveLength(2);
    });

    it('is rejected while it is in flight, and when its endpoint is deleted', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      let answer: () => void = () => undefined;
      receiver.answer = (_received, response) => {
        answer = () => response.writeHead(200).end();
        return 'open';
      };
      await stage.deal(tenant);
      const [delivery] = await stage.statuses(endpoint, ['in_flight']);
      const { id } = delivery!;
      expect(receiver.received).toHaveLength(1);
      expect(await read(tenant, id)).toMatchObject({ status: 'in_flight', nextAttemptAt: null, attempts: [] });
      const refused = await tenant.api.post(`${pathOf(id)}/resend`);
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'outbox_state_conflict', state: 'in_flight', action: 'resend', allowedActions: [] },
      });
      answer();
      await stage.statuses(endpoint, ['delivered']);
      await tenant.api.delete(endpoint.path);
      expect(await tenant.api.post(`${pathOf(id)}/resend`)).toMatchObject({
        status: 409,
        body: { code: 'endpoint_deleted' },
      });
    });

    it('needs permission to change webhooks, and is unknown to another tenant', async () => {
      const { tenant, endpoint } = await stageOne();
      const id = await firstDelivery(tenant, endpoint, 'delivered');
      const reader = await stage.platform.key(tenant, ['webhooks:read']);
      expect((await reader.post(`${pathOf(id)}/resend`)).status).toBe(403);
      const stranger = await stage.platform.tenant();
      for (const each of [id, uuidv7()]) expect((await resend(stranger, each)).status).toBe(404);
    });

    it('writes an audit entry for each request', async () => {
      const { tenant, endpoint } = await stageOne();
      const id = await firstDelivery(tenant, endpoint, 'delivered');
      await resend(tenant, id);
      const { body } = await tenant.api.get<{ data: unknown[] }>(
        `/api/admin/audit-logs?action=webhook.delivery.resent&targetId=${id}`,
      );
      expect(body.data).toMatchObject([{ outcome: 'success', target: { type: 'webhook.delivery', id } }]);
    });
  });
});
