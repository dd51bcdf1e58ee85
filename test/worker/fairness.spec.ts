import type { INestApplicationContext } from '@nestjs/common';
import { ENDPOINT_CAP, type Room } from '#libs/webhooks/leases/claim.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import type { Lease } from '#libs/webhooks/leases/leased-delivery.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

const ROOM: Room = { total: 1_000, retries: 1_000, slow: 1_000 };

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  let worker: INestApplicationContext;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  beforeEach(async () => {
    await stage.sql('delete from data.webhook_queue');
    worker = await stage.idleWorker();
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  /** Creates an endpoint of a new tenant with a number of due deliveries. */
  async function due(count: number, more: Record<string, unknown> = {}): Promise<TestEndpoint> {
    const tenant = await stage.platform.tenant();
    const endpoint = await stage.endpoint(tenant, (await stage.receiver()).url, more);
    for (let each = 0; each < count; each++) await stage.deal(tenant);
    await worker.get(EventRelay).pass();
    return endpoint;
  }

  const claim = (room: Partial<Room> = {}, by = worker): Promise<Lease[]> =>
    by.get(DeliveryRepository).claim({ ...ROOM, ...room }, by.get(WorkerPresence).token());
  const lane = (endpoint: TestEndpoint, change: string) =>
    stage.sql(`update data.webhook_lanes set ${change} where endpoint_id = $1`, [endpoint.id]);
  const databaseTime = async () => {
    const [row] = await stage.sql<{ seconds: number }>(
      `select extract(epoch from clock_timestamp())::float8 as seconds`,
    );
    return row!.seconds;
  };
  const leased = async (endpoint: TestEndpoint) =>
    (await stage.deliveries(endpoint)).filter(({ status }) => status === 'in_flight').length;

  describe('slots of a worker', () => {
    it('reserved for first attempts are not used for retries, not even of the same endpoint', async () => {
      const failing = await due(8);
      await stage.sql(`update data.webhook_queue set retry = true where endpoint_id = $1`, [failing.id]);
      const fresh = await due(3);
      const leases = await claim({ retries: 2 });
      expect(leases.filter(({ retry }) => retry)).toHaveLength(2);
      expect(await leased(fresh)).toBe(3);
      const both = await due(6);
      await stage.sql(
        `update data.webhook_queue set retry = true, due_at = now() - interval '1 hour'
       where delivery_id in (select delivery_id from data.webhook_queue where endpoint_id = $1 order by sequence limit 4)`,
        [both.id],
      );
      expect(await claim({ retries: 0 })).toHaveLength(2);
      expect(await leased(both)).toBe(2);
    });

    it('are limited for slow endpoints', async () => {
      const slow = await due(5);
      await lane(slow, 'slow = true');
      const quick = await due(2);
      const leases = await claim({ slow: 1 });
      expect(leases.map((lease) => lease.slow).sort()).toEqual([false, false, true]);
      expect(await leased(quick)).toBe(2);
    });
  });

  describe('an endpoint', () => {
    it('does not exceed its concurrency limit under concurrent claims', async () => {
      const wide = await due(30);
      const narrow = await due(5, { maxConcurrency: 2 });
      const workers = [worker, await stage.idleWorker(), await stage.idleWorker()];
      await Promise.all([...workers, ...workers, ...workers].map((each) => claim({}, each)));
      expect(await leased(wide)).toBe(ENDPOINT_CAP);
      expect(await leased(narrow)).toBe(2);
    });

    it('does not exceed its rate limit under concurrent claims', async () => {
      const limited = await due(10, { maxPerSecond: 5, maxConcurrency: 10 });
      const [{ taken_until: before }] = (await stage.sql<{ taken_until: Date | null }>(
        `select taken_until from data.webhook_lanes where endpoint_id = $1`,
        [limited.id],
      )) as [{ taken_until: Date | null }];
      expect(before).toBeNull();
      const first = await allowedByFour();
      const afterFirst = await leased(limited);
      expect(afterFirst).toBeGreaterThanOrEqual(1);
      expect(afterFirst).toBeLessThanOrEqual(first);
      await lane(limited, `taken_until = taken_until - interval '1 second'`);
      const second = await allowedByFour();
      const more = (await leased(limited)) - afterFirst;
      expect(more).toBeGreaterThanOrEqual(1);
      expect(more).toBeLessThanOrEqual(second);
      const [{ ahead }] = (await stage.sql<{ ahead: number }>(
        `select extract(epoch from taken_until - now())::float8 as ahead from data.webhook_lanes where endpoint_id = $1`,
        [limited.id],
      )) as [{ ahead: number }];
      expect(ahead).toBeLessThanOrEqual(0.2);
    });

    /**
     * Claims four times concurrently; returns how many may be leased at five per second after a pause counted as 0.1 s.
     */
    async function allowedByFour(): Promise<number> {
      const from = await databaseTime();
      await Promise.all([claim(), claim(), claim(), claim()]);
      return 1 + Math.floor(((await databaseTime()) - from + 0.1) * 5);
    }

    it('with an open breaker gets nothing, and then one delivery at a time', async () => {
      const broken = await due(4);
      await lane(broken, `openings = 1, open_until = now() + interval '1 minute'`);
      expect(await claim()).toEqual([]);
      await lane(broken, `open_until = now()`);
      expect(await claim()).toHaveLength(1);
      expect(await claim()).toEqual([]);
      expect((await stage.deliveries(broken)).every(({ attempts }) => attempts === 0)).toBe(true);
    });
  });
});
