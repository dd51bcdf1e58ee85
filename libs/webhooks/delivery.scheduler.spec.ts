import { jest } from '@jest/globals';
import type { Queues } from '#libs/queue/queues.js';
import type { Room } from './claim.js';
import type { DeliveryJob } from './delivery.consumer.js';
import type { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';
import { DeliveryScheduler } from './delivery.scheduler.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { WorkerPresence } from './worker-presence.js';

const CAPACITY = 8;

/** A scheduler over a table that always has more, and a queue whose jobs stay until they are taken. */
function setUp() {
  const jobs: DeliveryJob[] = [];
  const renewed: string[][] = [];
  let made = 0;
  const repository = {
    claim: ({ total }: Room, token: string): Promise<Lease[]> =>
      Promise.resolve(
        Array.from({ length: total }, (_, index) => ({
          tenantId: `tenant ${index % 2}`,
          id: `d${++made}`,
          token,
          retry: false,
          slow: false,
        })),
      ),
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
  const scheduler = new DeliveryScheduler({ WORKER_CONCURRENCY: CAPACITY / 2 }, repository, keeper, queues, presence);
  return { scheduler, keeper, jobs, renewed };
}

describe('the delivery scheduler', () => {
  it('claims twice what is sent at a time, one job for each tenant, and then no more', async () => {
    const { scheduler, jobs } = setUp();
    expect(await scheduler.pass()).toBe('full');
    expect(jobs.map(({ tenantId, ids }) => [tenantId, ids.length])).toEqual([
      ['tenant 0', CAPACITY / 2],
      ['tenant 1', CAPACITY / 2],
    ]);
    await scheduler.pass();
    expect(jobs).toHaveLength(2);
    expect(scheduler.hasRoom).toBe(false);
  });

  it('claims again as deliveries are done with', async () => {
    const { scheduler, keeper, jobs } = setUp();
    await scheduler.pass();
    const { tenantId, token, ids } = jobs.shift()!;
    keeper.unqueue(ids);
    for (const id of ids) keeper.work({ tenantId, id, token, retry: false, slow: false });
    await scheduler.pass();
    expect(jobs).toHaveLength(1);
    for (const id of ids) keeper.done(id);
    await scheduler.pass();
    expect(jobs.slice(1).flatMap((job) => job.ids)).toHaveLength(ids.length);
  });

  it('learns from an empty queue that other workers have taken what it put there', async () => {
    const { scheduler, keeper, jobs } = setUp();
    await scheduler.pass();
    jobs.splice(0);
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
