import { jest } from '@jest/globals';
import type { Queues } from '#libs/queue/queues.js';
import type { Room } from './claim.js';
import type { DeliveryConsumer, DeliveryJob } from '../sending/delivery.consumer.js';
import type { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';
import { DeliveryScheduler } from './delivery.scheduler.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { WorkerPresence } from '#libs/worker/worker-presence.js';

const PLACES = 110;
const CAPACITY = 8 * PLACES;
/** Time in which so many deliveries finish that no more need to be leased. */
const SLOWLY_MS = 1_000;

/** A scheduler over a table that always has more rows, and a queue whose jobs stay until they are taken. */
function setUp() {
  const jobs: DeliveryJob[] = [];
  const renewed: string[][] = [];
  let made = 0;
  const claims = { count: 0, empty: false, rooms: [] as Room[] };
  const repository = {
    claim: (room: Room, token: string): Promise<Lease[]> => {
      claims.count++;
      claims.rooms.push(room);
      return Promise.resolve(
        Array.from({ length: claims.empty ? 0 : room.total }, (_, index) => ({
          tenantId: `tenant ${index % 2}`,
          endpointId: 'endpoint',
          id: `d${++made}`,
          token,
          retry: false,
          slow: false,
          direct: false,
        })),
      );
    },
    renew: (leases: Lease[]) => {
      renewed.push(leases.map(({ id }) => id));
      return Promise.resolve(new Set(leases.map(({ id }) => id)));
    },
  } as unknown as DeliveryRepository; // the two methods are all that is called
  const queue = {
    addAll: (added: { data: DeliveryJob }[]) => Promise.resolve(void jobs.push(...added.map(({ data }) => data))),
    counts: () => Promise.resolve({ waiting: jobs.length, active: 0, delayed: 0 }),
  };
  const keeper = new LeaseKeeper(repository);
  const queues = { queue: () => queue } as unknown as Queues; // so is this one
  const presence = { beKnown: () => Promise.resolve(), token: () => 'token' } as unknown as WorkerPresence; // and this
  const consumer = { places: PLACES } as DeliveryConsumer; // all of it that is asked
  const scheduler = new DeliveryScheduler(consumer, repository, keeper, queues, presence);
  return { scheduler, keeper, jobs, renewed, claims };
}

const idsOf = ({ tenants }: DeliveryJob) => tenants.flatMap(({ deliveryIds }) => deliveryIds);

describe('the delivery scheduler', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('claims eight times what is sent at a time, many deliveries in one job, and then no more', async () => {
    const { scheduler, jobs } = setUp();
    expect(await scheduler.pass()).toBe('full');
    expect(jobs.map((job) => job.tenants.map(({ id, deliveryIds }) => [id, deliveryIds.length]))).toEqual([
      [
        ['tenant 0', 400],
        ['tenant 1', 400],
      ],
      [
        ['tenant 0', 40],
        ['tenant 1', 40],
      ],
    ]);
    await scheduler.pass();
    expect(jobs).toHaveLength(2);
    expect(scheduler.hasRoom).toBe(false);
  });

  it('has half of its places for retries and a quarter for slow endpoints, whatever it leases ahead', async () => {
    const { scheduler, keeper, claims } = setUp();
    claims.empty = true;
    const roomBeside = async (count: number, kind: { retry: boolean; slow: boolean }) => {
      const ids = Array.from({ length: count }, (_, index) => `busy ${index}`);
      for (const id of ids) keeper.work({ id, tenantId: 't', endpointId: 'e', token: 'token', direct: false, ...kind });
      await scheduler.pass();
      for (const id of ids) keeper.done(id);
      return claims.rooms.at(-1);
    };
    expect(await roomBeside(0, { retry: false, slow: false })).toEqual({ total: 880, retries: 55, slow: 28 });
    expect(await roomBeside(60, { retry: false, slow: false })).toEqual({ total: 820, retries: 55, slow: 28 });
    expect(await roomBeside(40, { retry: true, slow: false })).toEqual({ total: 840, retries: 15, slow: 28 });
    expect(await roomBeside(60, { retry: true, slow: true })).toEqual({ total: 820, retries: 0, slow: 0 });
  });

  it('looks once a second, or when something is to be expected, while what this process makes is sent at once', async () => {
    const { scheduler, keeper, claims } = setUp();
    const looks = async () => {
      const before = claims.count;
      await scheduler.pass();
      return claims.count - before;
    };
    claims.empty = true;
    expect([await looks(), await looks()]).toEqual([1, 1]);
    const lease = { id: 'direct', tenantId: 't', endpointId: 'e', token: 'token', retry: false, slow: false };
    keeper.work({ ...lease, direct: true });
    expect(await looks()).toBe(0);
    scheduler.expect();
    expect([await looks(), await looks()]).toEqual([1, 0]);
    jest.advanceTimersByTime(1_000);
    expect([await looks(), await looks()]).toEqual([1, 0]);
    keeper.done(lease.id);
    expect(await looks()).toBe(1);
  });

  it('claims again as soon as half of them is done with', async () => {
    const { scheduler, keeper, jobs } = setUp();
    await scheduler.pass();
    const { token, tenants } = jobs.shift()!;
    const taken = tenants.flatMap(({ id, deliveryIds }) => deliveryIds.map((each) => ({ tenantId: id, id: each })));
    jest.advanceTimersByTime(SLOWLY_MS);
    keeper.unqueue(taken.map(({ id }) => id));
    for (const lease of taken)
      keeper.work({ ...lease, endpointId: 'endpoint', token, retry: false, slow: false, direct: false });
    for (const { id } of taken.slice(1, CAPACITY / 2)) keeper.done(id);
    await scheduler.pass();
    expect(jobs).toHaveLength(1);
    keeper.done(taken[0]!.id);
    await scheduler.pass();
    expect(jobs.slice(1).flatMap(idsOf)).toHaveLength(CAPACITY / 2);
  });

  it('is worth a claim at once when a quarter of what it has is done with, however much is free', async () => {
    const { scheduler, keeper, claims } = setUp();
    claims.empty = true; // caps of endpoints
    const ids = Array.from({ length: 40 }, (_, index) => `d${index}`);
    for (const id of ids) {
      const lease = { id, tenantId: 't', endpointId: 'e', token: 'token', retry: false, slow: false };
      keeper.work({ ...lease, direct: false });
    }
    await scheduler.pass();
    for (const id of ids.slice(0, 7)) keeper.done(id);
    expect([scheduler.hasRoom, scheduler.hasMoreRoom]).toEqual([true, false]);
    keeper.done(ids[7]!); // 8 of 40, 32 are left
    expect(scheduler.hasMoreRoom).toBe(true);
    await scheduler.pass();
    expect(scheduler.hasMoreRoom).toBe(false);
    for (const id of ids.slice(8)) keeper.done(id);
    expect(scheduler.hasMoreRoom).toBe(true);
  });

  it('claims more at a time when much gets done', async () => {
    const { scheduler, keeper, jobs } = setUp();
    for (let round = 0; round < 3; round++) {
      await scheduler.pass();
      const ids = jobs.splice(0).flatMap(idsOf);
      for (const id of ids) keeper.take(id, 'token');
      jest.advanceTimersByTime(200);
      for (const id of ids) keeper.done(id);
    }
    await scheduler.pass();
    expect(jobs.flatMap(idsOf)).toHaveLength(CAPACITY * 2);
  });

  it('counts what is being taken from the queue, also when the queue is empty', async () => {
    const { scheduler, keeper, jobs } = setUp();
    await scheduler.pass();
    const ids = jobs.splice(0).flatMap(idsOf);
    expect(new Set(ids.map((id) => keeper.take(id, 'token')))).toEqual(new Set(['own']));
    expect(keeper.take(ids[0]!, 'token')).toBe('begun'); // its job is run again
    expect(keeper.take(ids[0]!, 'another')).toBe('foreign');
    expect(await scheduler.pass()).toBe('some');
    expect(jobs).toEqual([]);
    jest.advanceTimersByTime(SLOWLY_MS);
    for (const id of ids) keeper.done(id);
    expect(await scheduler.pass()).toBe('full');
  });

  it('learns from an empty queue that other workers have taken what it put there', async () => {
    const { scheduler, keeper, jobs } = setUp();
    await scheduler.pass();
    jobs.splice(0);
    expect(await scheduler.pass()).toBe('some'); // a job may be on its way
    jest.advanceTimersByTime(101);
    expect(await scheduler.pass()).toBe('full');
    expect(keeper.queuedCount).toBe(CAPACITY);
  });
});

describe('the keeper of leases', () => {
  it('lets go of what nobody takes from the queue: the job may be lost', async () => {
    jest.useFakeTimers();
    const { scheduler, keeper, renewed } = setUp();
    await scheduler.pass();
    await keeper.renew();
    expect(renewed).toHaveLength(1);
    jest.advanceTimersByTime(10_001);
    await keeper.renew();
    expect(renewed).toHaveLength(1);
    expect(keeper.queuedCount).toBe(0);
    jest.useRealTimers();
  });
});
