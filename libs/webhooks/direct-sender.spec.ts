import { jest } from '@jest/globals';
import { ENDPOINT_CAP } from './claim.js';
import type { DeliveryConsumer } from './delivery.consumer.js';
import type { DeliveryRepository } from './delivery.repository.js';
import type { DeliveryScheduler } from './delivery.scheduler.js';
import { DirectSender } from './direct-sender.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { TakenDelivery } from './leased-delivery.js';
import type { WorkerPresence } from './worker-presence.js';

const AHEAD = 40;

/** A sender whose deliveries are under way until the test says that they are done with. */
function setUp() {
  const keeper = new LeaseKeeper({} as DeliveryRepository); // asked for nothing here
  const scheduler = { ahead: AHEAD, isFull: false };
  const consumer = { runDirect: () => Promise.resolve() } as unknown as DeliveryConsumer; // all that is called
  const presence = { token: () => 'token' } as unknown as WorkerPresence; // so is this
  const sender = new DirectSender(scheduler as unknown as DeliveryScheduler, consumer, keeper, presence); // and these two
  let made = 0;
  const send = (tenantId: string, count: number, queuedFor: string[] = []) => {
    const leased = Array.from(
      { length: count },
      () => ({ id: `d${++made}`, tenantId, endpointId: `${tenantId}'s`, direct: true }) as TakenDelivery,
    );
    sender.send({ events: new Map([[tenantId, count]]), made: count, leased, queuedFor }, 'token');
    return leased;
  };
  const done = (delivery: TakenDelivery) => {
    keeper.done(delivery.id);
    return sender.settled(delivery);
  };
  const share = (tenantIds: string[], most: number) =>
    sender
      .share(
        tenantIds.map((tenantId) => ({ tenantId, most })),
        sender.room()!,
      )
      .map((each) => each.most);
  return { sender, scheduler, send, done, share };
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
  it('is what its endpoint can be sent, and there are no more tenants than room', () => {
    const { share } = setUp();
    expect(share(['a', 'b'], 8)).toEqual([8, 8]);
    expect(share(['a', 'b', 'c', 'd', 'e', 'f'], 100)).toEqual(Array(4).fill(ENDPOINT_CAP));
  });

  it('leaves out what is under way for it', () => {
    const { share, send } = setUp();
    send('a', 7);
    expect(share(['a', 'b'], 8)).toEqual([3, 8]);
  });

  it('is the usual one once its deliveries wait in the queue, or when it has none', () => {
    const { share, send } = setUp();
    send('queueing', 0, ["queueing's"]);
    expect(share(['queueing', 'a', 'b', 'c', 'd'], 100)).toEqual([100, 10, 10, 10, 10]);
    send('a', ENDPOINT_CAP);
    expect(share(['a'], 100)).toEqual([100]); // its endpoint is sent all it may be: events get their numbers
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

it('a place that becomes free is worth a claim when something waits for it', () => {
  const { send, done } = setUp();
  const [first, second] = send('a', 2, ["a's"]);
  const [other] = send('b', 1);
  expect(done(other!)).toBe(false);
  expect(done(first!)).toBe(true);
  expect(done(second!)).toBe(false);
});
