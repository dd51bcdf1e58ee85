import { jest } from '@jest/globals';
import { ENDPOINT_CAP } from '../leases/claim.js';
import type { DeliveryConsumer } from './delivery.consumer.js';
import type { DeliveryRepository } from '../leases/delivery.repository.js';
import type { DeliveryScheduler } from '../leases/delivery.scheduler.js';
import { DirectSender } from './direct-sender.js';
import type { QueuedDelivery } from '../relay/event-fan-out.js';
import { LeaseKeeper } from '../leases/lease-keeper.js';
import type { Lease, TakenDelivery } from '../leases/leased-delivery.js';
import type { WorkerPresence } from '#libs/worker/worker-presence.js';

const AHEAD = 40;

/** A sender whose deliveries stay in progress until the test finishes them. */
function setUp() {
  const keeper = new LeaseKeeper({} as DeliveryRepository); // asked for nothing here
  const scheduler = { ahead: AHEAD, isFull: false };
  const consumer = { runDirect: () => Promise.resolve() } as unknown as DeliveryConsumer; // all that is called
  const presence = { token: () => 'token' } as unknown as WorkerPresence; // so is this
  const sender = new DirectSender(scheduler as unknown as DeliveryScheduler, consumer, keeper, presence); // and these two
  let made = 0;
  /** Simulates this many created deliveries of a tenant, for its only endpoint by default. */
  const send = (tenantId: string, count: number, more: Partial<Made> = {}) => {
    const { queued = [], asked = count, endpointId = `${tenantId}'s` } = more;
    const leased = Array.from(
      { length: count },
      () => ({ id: `d${++made}`, tenantId, endpointId, subjectId: `s${made}`, direct: true }) as TakenDelivery,
    );
    const events = new Map([[tenantId, count + queued.length]]);
    const waiting = queued.map((each) => ({ tenantId, endpointId, subjectId: null, ...each }));
    const all = { events, made: count + queued.length, leased, queued: waiting };
    sender.send(all, [{ tenantId, most: asked }]);
    return leased;
  };
  const done = (delivery: TakenDelivery) => {
    keeper.done(delivery.id);
    return sender.settled(delivery);
  };
  const shares = (tenantIds: string[], most: number) =>
    sender.share(
      tenantIds.map((tenantId) => ({ tenantId, most })),
      sender.room()!,
    );
  const share = (tenantIds: string[], most: number) => shares(tenantIds, most).shares.map((each) => each.most);
  return { sender, scheduler, keeper, send, done, shares, share };
}

interface Made {
  queued: Partial<QueuedDelivery>[];
  /** Number of requested events. */
  asked: number;
  endpointId: string;
}

describe('room', () => {
  it('is what may be leased ahead without what is under way', () => {
    const { sender, send, done } = setUp();
    const [first] = send('a', 8);
    expect(sender.room()).toEqual({ most: 32, token: 'token' });
    done(first!);
    expect(sender.room()).toEqual({ most: 33, token: 'token' });
    send('b', 33);
    expect(sender.room()).toBeNull();
  });
});

describe('the share of a tenant', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is what its endpoint can be sent, and there are no more tenants than room', () => {
    const { share, shares } = setUp();
    expect(share(['a', 'b'], 8)).toEqual([8, 8]);
    const six = shares(['a', 'b', 'c', 'd', 'e', 'f'], 100);
    expect(six.shares.map((each) => each.most)).toEqual(Array(4).fill(ENDPOINT_CAP));
    expect(six.looked).toBe(4);
  });

  it('leaves out what is under way for it', () => {
    const { share, send } = setUp();
    send('a', 3);
    expect(share(['a', 'b'], 8)).toEqual([7, 8]);
  });

  it('is nothing while its endpoint is busy, for a second, and then the usual one until all events have their numbers', () => {
    const { shares, share, send, done } = setUp();
    const leased = send('a', ENDPOINT_CAP);
    expect(shares(['a', 'b'], 100)).toEqual({ shares: [{ tenantId: 'b', most: 10 }], looked: 2 });
    jest.advanceTimersByTime(900);
    expect(share(['a'], 100)).toEqual([]);
    jest.advanceTimersByTime(200);
    expect(share(['a'], 100)).toEqual([100]);
    send('a', 0, { queued: Array(100).fill({}), asked: 100 });
    expect(share(['a'], 100)).toEqual([100]); // there may be more
    send('a', 0, { queued: Array(60).fill({}), asked: 100 });
    expect(share(['a'], 100)).toEqual([]);
    for (const delivery of leased.slice(0, 6)) done(delivery);
    expect(share(['a'], 100)).toEqual([6]);
  });

  it('counts what a claim has leased for its endpoint too', () => {
    const { share, keeper, send } = setUp();
    send('a', 0, { queued: [{}] });
    expect(share(['a'], 100)).toEqual([10]);
    const claimed = Array.from({ length: 5 }, (_, i) => ({ id: `c${i}`, tenantId: 'a', endpointId: "a's" }) as Lease);
    keeper.queue(claimed);
    expect(share(['a'], 100)).toEqual([]);
    keeper.unqueue(['c0']);
    expect(share(['a'], 100)).toEqual([6]);
  });

  it('counts a delivery once that is leased anew before its first lease ended', () => {
    const { sender, share, keeper, send } = setUp();
    send('a', 0, { queued: [{}] });
    const lease = { id: 'c', tenantId: 'a', endpointId: "a's", direct: false } as Lease;
    for (let i = 0; i < 6; i++) keeper.queue([lease]);
    keeper.unqueue(['c']);
    for (let i = 0; i < 6; i++) keeper.work({ ...lease, direct: i < 3 });
    keeper.done('c');
    expect(keeper.countOf('a', "a's")).toBe(0);
    expect(sender.room()!.most).toBe(AHEAD);
    expect(share(['a'], 100)).toEqual([ENDPOINT_CAP]);
  });

  it('does not wait for one endpoint while another one of the tenant has little to do', () => {
    const { share, send } = setUp();
    const others = Array.from({ length: 3 }, () => send('a', 1, { endpointId: 'quick' })).flat();
    send('a', ENDPOINT_CAP, { endpointId: 'slow' });
    expect(share(['a'], 100)).toEqual([7]);
    expect(others).toHaveLength(3);
  });
});

describe('the relay', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance'] }));
  afterEach(() => jest.useRealTimers());

  const outcome = async (waited: Promise<void>) => {
    let over = false;
    void waited.then(() => (over = true));
    await jest.advanceTimersByTimeAsync(100);
    return () => over;
  };

  it('goes on at once while a quarter is free', async () => {
    const { sender, send } = setUp();
    send('a', 30);
    expect((await outcome(sender.roomForMany()))()).toBe(true);
  });

  it('waits until it is, and not for ever', async () => {
    const { sender, send, done } = setUp();
    const leased = send('a', 32);
    const over = await outcome(sender.roomForMany());
    expect(over()).toBe(false);
    done(leased[0]!);
    await jest.advanceTimersByTimeAsync(0);
    expect(over()).toBe(false);
    done(leased[1]!);
    await jest.advanceTimersByTimeAsync(0);
    expect(over()).toBe(true);

    send('b', 10);
    const stuck = await outcome(sender.roomForMany());
    expect(stuck()).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    expect(stuck()).toBe(true);
  });

  it('waits while the queue holds more than the process has places for', async () => {
    const { sender, scheduler } = setUp();
    scheduler.isFull = true;
    const over = await outcome(sender.roomForMany());
    expect(over()).toBe(false);
    await jest.advanceTimersByTimeAsync(200);
    expect(over()).toBe(true);
  });
});

it('events that waited are awaited once their endpoint is not busy any more', () => {
  const { share, send, done, sender } = setUp();
  const leased = send('a', 6);
  expect(sender.isAwaited(leased[0]!)).toBe(false);
  share(['a'], 100);
  done(leased[0]!);
  expect(sender.isAwaited(leased[0]!)).toBe(false);
  done(leased[1]!);
  expect(sender.isAwaited(leased[1]!)).toBe(true);
  share(['a'], 100);
  expect(sender.isAwaited(leased[1]!)).toBe(false);
});

it('a place that becomes free is worth a claim when something waits for it', () => {
  const { send, done } = setUp();
  const [first, second] = send('a', 2, { queued: [{}] });
  const [other] = send('b', 1);
  expect(done(other!)).toBe(false);
  expect(done(first!)).toBe(true);
  expect(done(second!)).toBe(false);
});

it('so is the end of a delivery that one of its resource waits for, whatever was done with before', () => {
  const { send, done } = setUp();
  const [first, other] = send('a', 2);
  send('a', 0, { queued: [{ subjectId: first!.subjectId }] });
  expect(done(other!)).toBe(true); // it may have been for a place
  expect(done(first!)).toBe(true);
});
