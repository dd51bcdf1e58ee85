import type { INestApplicationContext } from '@nestjs/common';
import type { Plan } from '#libs/auth/plans.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Queues } from '#libs/queue/queues.js';
import { DeliveryConsumer, type DeliveryJob } from '#libs/webhooks/sending/delivery.consumer.js';
import { ENDPOINT_CAP, LEASE_SECONDS, type Room, TENANT_CAPS } from '#libs/webhooks/leases/claim.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { DeliveryScheduler } from '#libs/webhooks/leases/delivery.scheduler.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { LeaseKeeper } from '#libs/webhooks/leases/lease-keeper.js';
import type { TestTenant } from '../harness/platform.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';
import { until } from '#libs/testing/until.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.close());

  async function stageOne(plan: Plan = 'enterprise') {
    const tenant = await stage.platform.tenant({ plan });
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    return { tenant, receiver, endpoint };
  }

  /** Creates deals whose events are fanned out but not yet sent. */
  async function fannedOut(worker: INestApplicationContext, tenant: TestTenant, count: number): Promise<void> {
    for (let each = 0; each < count; each++) await stage.deal(tenant);
    await worker.get(EventRelay).pass();
  }

  const ROOM = { total: 1_000, retries: 1_000, slow: 1_000 };

  async function claim(worker: INestApplicationContext, room: Partial<Room> = {}): Promise<DeliveryJob[]> {
    const token = uuidv7();
    const leases = await worker.get(DeliveryRepository).claim({ ...ROOM, ...room }, token);
    return leases.map(({ tenantId, id }) => ({
      token,
      tenants: [{ id: tenantId, deliveryIds: [id] }],
    }));
  }

  /** Expires the leases on the deliveries to an endpoint. */
  const runOut = (endpoint: TestEndpoint) =>
    stage.sql(`update data.webhook_queue set leased_until = now() where endpoint_id = $1 and lease_token is not null`, [
      endpoint.id,
    ]);

  describe('a worker that dies', () => {
    it('between claim and send: the delivery is sent when its lease has expired', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const dead = await stage.idleWorker();
      await fannedOut(dead, tenant, 1);
      await claim(dead);
      const [leased] = await stage.statuses(endpoint, ['in_flight']);
      expect(leased!.leased_until!.getTime()).toBeLessThanOrEqual(Date.now() + LEASE_SECONDS * 1_000);
      await runOut(endpoint);
      await stage.worker();
      await stage.statuses(endpoint, ['delivered']);
      expect(receiver.received).toHaveLength(1);
    });

    it('between send and settlement: the delivery is sent again with the same id', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const dead = await stage.idleWorker();
      await fannedOut(dead, tenant, 1);
      receiver.answer = () => 'open';
      const [job] = await claim(dead);
      await dead.get(DeliveryConsumer).run(job!);
      await until(() => receiver.received.length === 1);
      receiver.answer = { status: 200 };
      await runOut(endpoint);
      await stage.worker();
      await stage.statuses(endpoint, ['delivered']);
      const [before, after] = receiver.received.map(({ headers }) => headers);
      expect(after!['webhook-id']).toBe(before!['webhook-id']);
      expect(after!['x-service-attempt']).toBe('1');
      await receiver.close(); // ends the open attempt of the dead worker
    });
  });

  describe('a lease', () => {
    it('belongs to one worker: a duplicate or late job sends nothing', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const workers = [await stage.idleWorker(), await stage.idleWorker()];
      await fannedOut(workers[0]!, tenant, 1);
      const [job] = await claim(workers[0]!);
      await Promise.all([...workers, ...workers].map((worker) => worker.get(DeliveryConsumer).run(job!)));
      await stage.statuses(endpoint, ['delivered']);
      await Promise.all(workers.map((worker) => worker.get(DeliveryConsumer).run(job!)));
      expect(receiver.received).toHaveLength(1);
    });

    it('that was lost cannot settle anything', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const slow = await stage.idleWorker();
      await fannedOut(slow, tenant, 1);
      let answer: () => void = () => undefined;
      receiver.answer = (_received, response) => {
        answer = () => response.writeHead(200).end();
        return 'open';
      };
      const [job] = await claim(slow);
      await slow.get(DeliveryConsumer).run(job!);
      await until(() => receiver.received.length === 1);
      await runOut(endpoint);
      const [next] = await claim(slow);
      expect(next!.tenants).toEqual(job!.tenants);
      answer();
      await slow.close();
      const [delivery] = await stage.statuses(endpoint, ['in_flight']);
      expect(delivery!.attempts).toBe(0);
    });

    it('is recorded for its worker until it is settled', async () => {
      const { tenant, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 2);
      const noted = async () => {
        const rows = await stage.sql<{ ids: string[] }>(
          'select delivery_ids::text[] as ids from data.webhook_claims where tenant_id = $1',
          [tenant.id],
        );
        return rows.flatMap(({ ids }) => ids).toSorted();
      };
      const idsOf = (jobs: DeliveryJob[]) => jobs.flatMap(({ tenants }) => tenants[0]!.deliveryIds);
      const [first] = idsOf(await claim(worker, { total: 1 }));
      const [second] = idsOf(await claim(worker, { total: 1 }));
      expect(await noted()).toEqual([first, second].toSorted());
      await stage.sql('delete from data.webhook_queue where endpoint_id = $1', [endpoint.id]);
      await claim(worker);
      expect(await noted()).toEqual([]);
    });

    it('can be released during a renewal', async () => {
      const { tenant, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 1);
      const [{ token, tenants }] = (await claim(worker)) as [DeliveryJob];
      const renewing = await stage.transaction({ text: 'update data.webhook_queue set leased_until = now()' });
      const id = tenants[0]!.deliveryIds[0]!;
      const givenBack = worker.get(DeliveryRepository).giveBack([{ tenantId: tenant.id, id, token }]);
      await renewing.isWaitedFor();
      await renewing.end();
      await givenBack;
      await stage.statuses(endpoint, ['pending']);
      expect(await stage.sql('select lease_token from data.webhook_queue')).toEqual([{ lease_token: null }]);
    });

    it('is renewed while its delivery is queued or in flight', async () => {
      const { tenant, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 1);
      const token = uuidv7();
      const leases = await worker.get(DeliveryRepository).claim(ROOM, token);
      const keeper = worker.get(LeaseKeeper);
      keeper.queue(leases);
      await runOut(endpoint);
      await keeper.renew();
      const [renewed] = await stage.deliveries(endpoint);
      expect(renewed!.leased_until!.getTime()).toBeGreaterThan(Date.now() + 1_000);
      expect(keeper.queuedCount).toBe(1);
      // Another worker takes it over, so this one is no longer responsible.
      await stage.sql(`update data.webhook_queue set lease_token = $2 where endpoint_id = $1`, [endpoint.id, uuidv7()]);
      await keeper.renew();
      expect(keeper.queuedCount).toBe(0);
    });
  });

  describe('claiming', () => {
    it.each(['free', 'business'] as const)('limits the leases per endpoint and per tenant, %s', async (plan) => {
      const { tenant, receiver, endpoint } = await stageOne(plan);
      const more = [await stage.endpoint(tenant, receiver.url), await stage.endpoint(tenant, receiver.url)];
      const quiet = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 30);
      await fannedOut(worker, quiet.tenant, 1);
      const jobs = await claim(worker);
      const own = jobs.filter(({ tenants }) => tenants[0]!.id === tenant.id);
      expect(own).toHaveLength(TENANT_CAPS[plan]);
      expect(jobs).toHaveLength(TENANT_CAPS[plan] + 1);
      const leased = async (each: TestEndpoint) =>
        (await stage.deliveries(each)).filter(({ status }) => status === 'in_flight').length;
      for (const each of [endpoint, ...more]) {
        expect(await leased(each)).toBeLessThanOrEqual(ENDPOINT_CAP);
        expect(await leased(each)).toBeGreaterThan(0);
      }
      expect(await claim(worker)).toEqual([]);
    });

    it('takes tenants in turn when capacity is insufficient', async () => {
      const loud = await stageOne();
      const quiet = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, loud.tenant, 20);
      await fannedOut(worker, quiet.tenant, 1);
      const tenants = (await claim(worker, { total: 2 })).map(({ tenants }) => tenants[0]!.id);
      expect(new Set(tenants)).toEqual(new Set([loud.tenant.id, quiet.tenant.id]));
    });

    it('releases what the queue rejects', async () => {
      const { tenant, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 2);
      const queue = worker.get(Queues).queue('webhook-deliveries');
      queue.addAll = () => Promise.reject(new Error('the queue is gone'));
      await expect(worker.get(DeliveryScheduler).pass()).rejects.toThrow('the queue is gone');
      await stage.statuses(endpoint, ['pending', 'pending']);
      expect(worker.get(LeaseKeeper).queuedCount).toBe(0);
    });
  });

  describe('a stopping worker', () => {
    it('finishes the running attempt and releases deliveries not started', async () => {
      await stage.close();
      stage = await Stage.open({ WORKER_CONCURRENCY: '1' }, backend);
      const { tenant, receiver, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await fannedOut(worker, tenant, 3);
      let answer: () => void = () => undefined;
      receiver.answer = (_received, response) => {
        answer = () => response.writeHead(200).end();
        return 'open';
      };
      const [first, ...others] = await claim(worker);
      const consumer = worker.get(DeliveryConsumer);
      await consumer.run(first!);
      await until(() => receiver.received.length === 1);
      const waiting = others.map((job) => consumer.run(job));
      await until(() => worker.get(LeaseKeeper).workingCount === 3);
      const stopped = worker.close();
      await Promise.all(waiting);
      answer();
      await stopped;
      const statuses = (await stage.deliveries(endpoint)).map(({ status }) => status);
      expect(statuses.sort()).toEqual(['delivered', 'pending', 'pending']);
      expect(receiver.received).toHaveLength(1);
    });
  });

  describe('when the database is unavailable', () => {
    it('a worker recovers as soon as it is available again', async () => {
      const { tenant, endpoint } = await stageOne();
      await stage.worker();
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered']);
      const cut = `select count(pg_terminate_backend(pid)) from pg_stat_activity
      where datname = current_database() and usename like '%\\_system'`;
      await stage.sql(cut);
      await stage.deal(tenant);
      await stage.statuses(endpoint, ['delivered', 'delivered']);
    });
  });
});
