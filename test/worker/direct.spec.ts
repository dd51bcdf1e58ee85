import type { INestApplicationContext } from '@nestjs/common';
import type { Plan } from '#libs/auth/plans.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { Queues } from '#libs/queue/queues.js';
import { until } from '#libs/testing/until.js';
import { CLAIMING, claimStatement, ENDPOINT_CAP, TENANT_CAPS } from '#libs/webhooks/leases/claim.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { LostLeases } from '#libs/webhooks/leases/lost-leases.js';
import { DirectSender } from '#libs/webhooks/sending/direct-sender.js';
import { EventFanOut } from '#libs/webhooks/relay/event-fan-out.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { LeaseKeeper } from '#libs/webhooks/leases/lease-keeper.js';
import { SendingJournal } from '#libs/webhooks/leases/sending-journal.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import type { TestTenant } from '../harness/platform.js';
import type { Receiver } from './receiver.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  const ROOM = { total: 1_000, retries: 1_000, slow: 1_000 };

  let stage: Stage;
  let worker: INestApplicationContext;
  let receiver: Receiver;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  beforeEach(async () => {
    await stage.sql('delete from data.webhook_queue');
    worker = await stage.idleWorker();
    receiver = await stage.receiver();
  });
  afterEach(async () => {
    await receiver.close(); // ends open attempts
    await stage.stopWorkers();
  });
  afterAll(() => stage.close());

  async function stageOne(more: Record<string, unknown> = {}, plan: Plan = 'enterprise') {
    const tenant = await stage.platform.tenant({ plan });
    const deals = async (count: number) => {
      for (let each = 0; each < count; each++) await stage.deal(tenant);
    };
    return { tenant, deals, endpoint: await stage.endpoint(tenant, receiver.url, more) };
  }

  /** Fans out events and sends direct deliveries; returns the number waiting in the queue. */
  async function pass(by = worker): Promise<number> {
    let waiting = 0;
    const onDeliveries = (_made: number, queued: number) => (waiting += queued);
    await by.get(EventRelay).pass({ direct: by.get(DirectSender), onDeliveries });
    return waiting;
  }

  const claim = () => worker.get(DeliveryRepository).claim(ROOM, worker.get(WorkerPresence).token());
  const statusesOf = async (endpoint: TestEndpoint) => (await stage.deliveries(endpoint)).map(({ status }) => status);
  /** Number of deliveries in flight per endpoint, with and without rows. */
  const leased = async (...endpoints: TestEndpoint[]) => {
    const recorded = (await Promise.all(endpoints.map(statusesOf))).flat().filter((status) => status === 'in_flight');
    return recorded.length + (await Promise.all(endpoints.map((each) => stage.sending(each)))).flat().length;
  };
  /** Creates the rows of deliveries being sent, as if they had taken long. */
  const record = ({ id }: TestTenant) => {
    const journal = worker.get(SendingJournal);
    return journal.record(journal.of(id));
  };

  describe('a delivery without predecessors', () => {
    it('is sent directly, without a claim or job', async () => {
      const { endpoint, deals } = await stageOne();
      await deals(3);
      expect(await pass()).toBe(0);
      const [first] = await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered']);
      expect(first!.attempts).toBe(1);
      expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(3);
      expect(receiver.received).toHaveLength(3);
      expect(await worker.get(Queues).queue('webhook-deliveries').counts()).toMatchObject({ waiting: 0, active: 0 });
      expect(worker.get(LeaseKeeper).directCount).toBe(0);
    });

    it('is sent in the mode and version configured on the endpoint', async () => {
      const { endpoint, deals } = await stageOne({ payloadMode: 'thin', customHeaders: { 'x-site': 'Boston' } });
      await deals(1);
      await pass();
      await stage.statuses(endpoint, ['delivered']);
      const [{ headers, event }] = receiver.received as [Receiver['received'][number]];
      expect(headers).toMatchObject({ 'x-site': 'Boston', 'x-service-attempt': '1', 'x-service-event-version': '1' });
      expect(Object.keys(event.data)).toEqual(['thin']);
    });

    it('is retried through the queue when it fails', async () => {
      const { endpoint, deals } = await stageOne();
      receiver.answer = { status: 500 };
      await deals(1);
      await pass();
      await stage.statuses(endpoint, ['retrying']);
      receiver.answer = { status: 200 };
      await stage.makeDue(endpoint);
      await stage.worker();
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
    });

    it('has its lease renewed', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      const letGo = receiver.holdUp();
      await deals(1);
      await pass();
      await record(tenant);
      await stage.sql(`update data.webhook_queue set leased_until = now() where endpoint_id = $1`, [endpoint.id]);
      await worker.get(LeaseKeeper).renew();
      const [renewed] = await stage.statuses(endpoint, ['in_flight']);
      expect(renewed!.leased_until!.getTime()).toBeGreaterThan(Date.now() + 1_000);
      letGo();
      await stage.statuses(endpoint, ['delivered']);
    });

    it('is sent by another worker when its creator dies first', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(2);
      const room = { token: worker.get(WorkerPresence).token(), most: 10 };
      const { leased } = await worker.get(EventFanOut).next([{ tenantId: tenant.id, most: 10 }], room);
      expect(leased).toHaveLength(2);
      expect(await stage.deliveries(endpoint)).toEqual([]);
      await stage.worker(); // the first worker never held its lock
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(receiver.received).toHaveLength(2);
    });

    it('waits in the queue again when its lease expires although its worker is alive', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(1);
      const presence = worker.get(WorkerPresence);
      await presence.beKnown();
      const room = { token: presence.token(), most: 10 };
      const { leased } = await worker.get(EventFanOut).next([{ tenantId: tenant.id, most: 10 }], room);
      expect(leased).toHaveLength(1);
      await record(tenant);
      await worker.get(LostLeases).look();
      expect(await claim()).toEqual([]);
      await stage.sql(`update data.webhook_queue set leased_until = now() where endpoint_id = $1`, [endpoint.id]);
      await worker.get(LostLeases).look();
      expect(await claim()).toHaveLength(1);
    });

    it('keeps the order of its resource when its endpoint becomes ordered meanwhile', async () => {
      const { tenant, endpoint } = await stageOne();
      const letGo = receiver.holdUp();
      const dealId = await stage.deal(tenant);
      await pass();
      expect((await tenant.api.patch(endpoint.path, { ordering: 'per_resource' })).status).toBe(200);
      await tenant.api.patch(`/api/v1/sales/deals/${dealId}`, { name: 'Acme, renewed' });
      expect(await pass()).toBe(1);
      const dueNow = `update data.webhook_queue set due_at = now() where endpoint_id = $1 and lease_token is null`;
      await stage.sql(dueNow, [endpoint.id]);
      expect(await claim()).toEqual([]);
      letGo();
      await stage.statuses(endpoint, ['delivered', 'pending']);
      expect(await claim()).toHaveLength(1);
    });

    it('is released when its worker stops before starting it', async () => {
      const narrow = await Stage.open({ WORKER_CONCURRENCY: '1' }, backend);
      try {
        const tenant = await narrow.platform.tenant();
        const endpoint = await narrow.endpoint(tenant, receiver.url);
        const letGo = receiver.holdUp();
        for (let each = 0; each < 3; each++) await narrow.deal(tenant);
        const stopping = await narrow.idleWorker();
        await pass(stopping);
        await until(() => receiver.received.length === 1);
        const stopped = stopping.close();
        setTimeout(letGo, 100);
        await stopped;
        const statuses = (await narrow.deliveries(endpoint)).map(({ status }) => status);
        expect(statuses.toSorted()).toEqual(['delivered', 'pending', 'pending']);
        expect(receiver.received).toHaveLength(1);
      } finally {
        await narrow.close();
      }
    });
  });

  describe('direct leases', () => {
    it.each(['free', 'business'] as const)('are limited per endpoint and tenant, %s', async (plan) => {
      const { tenant, endpoint, deals } = await stageOne({}, plan);
      const other = await stage.endpoint(tenant, receiver.url);
      const narrow = await stage.endpoint(tenant, receiver.url, { maxConcurrency: 1 });
      await deals(14);
      const all = [endpoint, other, narrow];
      const room = { token: worker.get(WorkerPresence).token(), most: 1_000 };
      const next = () => worker.get(EventFanOut).next([{ tenantId: tenant.id, most: 100 }], room);
      await next();
      expect(await leased(...all)).toBe(TENANT_CAPS[plan]);
      for (const each of [endpoint, other]) expect(await leased(each)).toBeLessThanOrEqual(ENDPOINT_CAP);
      expect(await leased(narrow)).toBeLessThanOrEqual(1);
      await deals(1);
      expect(await next()).toMatchObject({ leased: [], made: 3 }); // behind waiting deliveries
    });

    it('are limited by the total capacity', async () => {
      const { tenant, endpoint, deals } = await stageOne();
      await deals(5);
      const room = { token: worker.get(WorkerPresence).token(), most: 3 };
      await worker.get(EventFanOut).next([{ tenantId: tenant.id, most: 10 }], room);
      expect(await leased(endpoint)).toBe(3);
    });

    it('share the limits with claims under concurrency', async () => {
      const { tenant, endpoint, deals } = await stageOne({}, 'free');
      const ordered = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
      await deals(TENANT_CAPS.free);
      await worker.get(EventRelay).pass();
      await stage.sql('delete from data.webhook_queue where endpoint_id = $1', [endpoint.id]);
      await deals(1);
      const first = { tenantId: NIL_UUID, endpointId: NIL_UUID };
      const claimed = claimStatement(first, ROOM, worker.get(WorkerPresence).token(), []);
      const claiming = await stage.transaction(CLAIMING, claimed);
      const passed = pass();
      await claiming.isWaitedFor();
      await claiming.end();
      expect(await passed).toBe(2);
      expect(await leased(endpoint)).toBe(0);
      expect(await leased(ordered)).toBe(TENANT_CAPS.free);
    });
  });

  describe('in an ordered lane', () => {
    const rename = (tenant: TestTenant, dealId: string, name: string) =>
      tenant.api.patch(`/api/v1/sales/deals/${dealId}`, { name });
    const sentNames = () => receiver.received.map(({ event }) => event.data['name']);

    it('the first delivery of each resource is sent directly, and the next one after it is settled', async () => {
      const { tenant, endpoint } = await stageOne({ ordering: 'per_resource' });
      const letGo = receiver.holdUp();
      const dealId = await stage.deal(tenant, 'first');
      await rename(tenant, dealId, 'second');
      await stage.deal(tenant, 'another');
      expect(await pass()).toBe(1);
      await until(() => receiver.received.length === 2);
      expect(sentNames().toSorted()).toEqual(['another', 'first']);
      await rename(tenant, dealId, 'third');
      expect(await pass()).toBe(1);
      expect(await claim()).toEqual([]);
      letGo();
      await stage.statuses(endpoint, ['delivered', 'pending', 'delivered', 'pending']);
      await stage.worker();
      await stage.statuses(endpoint, ['delivered', 'delivered', 'delivered', 'delivered']);
      expect(sentNames().filter((name) => name !== 'another')).toEqual(['first', 'second', 'third']);
    });

    it('none is sent before a pending retry of the same resource', async () => {
      const { tenant, endpoint } = await stageOne({ ordering: 'per_resource' });
      receiver.answer = { status: 500 };
      const dealId = await stage.deal(tenant);
      await pass();
      await stage.statuses(endpoint, ['retrying']);
      await rename(tenant, dealId, 'later');
      expect(await pass()).toBe(1);
      expect(receiver.received).toHaveLength(1);
      const due = `select due_at from data.webhook_queue where endpoint_id = $1 order by sequence`;
      const [first, second] = await stage.sql<{ due_at: Date }>(due, [endpoint.id]);
      expect(second!.due_at).toEqual(first!.due_at);
    });
  });

  describe('a delivery waits in the queue', () => {
    const lane = (endpoint: TestEndpoint, change: string) =>
      stage.sql(`update data.webhook_lanes set ${change} where endpoint_id = $1`, [endpoint.id]);

    it('when the endpoint has a rate limit', async () => {
      const { endpoint, deals } = await stageOne({ maxPerSecond: 100 });
      await deals(1);
      expect(await pass()).toBe(1);
      expect(await statusesOf(endpoint)).toEqual(['pending']);
    });

    it.each([
      ['slow', 'slow = true'],
      ['behind an open breaker', `openings = 1, open_until = now() + interval '1 minute'`],
      ['waiting for its Retry-After', `open_until = now() + interval '1 minute'`],
      ['half-open after its breaker was open', `openings = 1, open_until = now()`],
    ])('when the endpoint is %s', async (_how, change) => {
      const { endpoint, deals } = await stageOne();
      await lane(endpoint, change);
      await deals(1);
      expect(await pass()).toBe(1);
      expect(await statusesOf(endpoint)).toEqual(['pending']);
    });

    it.each([
      ['a first attempt', 'retry = false'],
      ['a due retry', 'retry = true'],
      ['one with an expired lease', `lease_token = gen_random_uuid(), leased_until = now()`],
    ])('behind %s', async (_what, change) => {
      const { endpoint, deals } = await stageOne();
      await deals(1);
      await worker.get(EventRelay).pass();
      await stage.sql(`update data.webhook_queue set ${change} where endpoint_id = $1`, [endpoint.id]);
      await deals(1);
      expect(await pass()).toBe(1);
      expect(receiver.received).toHaveLength(0);
    });

    it('but not behind a retry that is not due yet', async () => {
      const { endpoint, deals } = await stageOne();
      await deals(1);
      await worker.get(EventRelay).pass();
      const later = `update data.webhook_queue set retry = true, due_at = now() + interval '1 hour' where endpoint_id = $1`;
      await stage.sql(later, [endpoint.id]);
      await deals(1);
      expect(await pass()).toBe(0);
      await stage.statuses(endpoint, ['pending', 'delivered']);
    });
  });

  it('a delivery to a paused endpoint is held, and nothing is leased', async () => {
    const { tenant, endpoint, deals } = await stageOne();
    expect((await tenant.api.post(`${endpoint.path}/pause`)).status).toBe(200);
    await deals(1);
    expect(await pass()).toBe(0);
    expect(await statusesOf(endpoint)).toEqual(['held']);
  });
});
