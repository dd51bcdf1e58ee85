import type { ServerResponse } from 'node:http';
import { uuidv7 } from '#libs/kernel/id.js';
import { Queues } from '#libs/queue/queues.js';
import { redisAvailable } from '#libs/testing/redis-server.js';
import { until } from '#libs/testing/until.js';
import { DeliveryConsumer, type DeliveryJob, FIRST_WINDOW } from '#libs/webhooks/sending/delivery.consumer.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { DeliveryScheduler } from '#libs/webhooks/leases/delivery.scheduler.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { type Backend, Stage } from './stage.js';

describe('a worker that starts', () => {
  let stage: Stage;
  const open = async (backend?: Backend) => {
    stage = await Stage.open({}, backend);
    return { tenant: await stage.platform.tenant(), receiver: await stage.receiver() };
  };
  afterEach(() => stage.close());

  it('takes over the leases of a dead one, however long they are', async () => {
    const { tenant, receiver } = await open();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const dead = await stage.idleWorker();
    await stage.deal(tenant);
    await dead.get(EventRelay).pass();
    await dead.get(DeliveryRepository).claim({ total: 1, retries: 1, slow: 1 }, uuidv7());
    await stage.sql(`update data.webhook_queue set leased_until = now() + interval '1 hour'`);
    await stage.worker();
    await stage.statuses(endpoint, ['delivered']);
  });

  it('has few attempts in flight at first, until their results are written', async () => {
    const { tenant, receiver } = await open();
    const endpoints = [await stage.endpoint(tenant, receiver.url)];
    const other = await stage.platform.tenant();
    for (let each = 0; each < 2; each++) endpoints.push(await stage.endpoint(other, receiver.url));
    const waiting = new Set<ServerResponse>();
    let most = 0;
    receiver.answer = (_received, response) => {
      most = Math.max(most, waiting.add(response).size);
      return 'open';
    };
    for (let each = 0; each < 8; each++) for (const owner of [tenant, other]) await stage.deal(owner);
    const worker = await stage.idleWorker();
    await worker.get(EventRelay).pass();
    const consumer = worker.get(DeliveryConsumer); // without a start signal it stays at the initial limit
    const run = ({ data }: { data: DeliveryJob }) => consumer.run(data);
    worker.get(Queues).consume<DeliveryJob>('webhook-deliveries', run, { concurrency: 8 });
    expect(worker.get(DeliveryScheduler).ahead).toBe(8 * FIRST_WINDOW); // and leases correspondingly few
    await worker.get(DeliveryScheduler).pass();
    await until(() => receiver.received.length === FIRST_WINDOW);
    await until(() => {
      for (const response of waiting) response.writeHead(204).end();
      waiting.clear();
      return receiver.received.length === 24;
    });
    for (const response of waiting) response.writeHead(204).end();
    for (const endpoint of endpoints)
      await stage.statuses(
        endpoint,
        Array.from({ length: 8 }, () => 'delivered'),
      );
    expect(most).toBe(FIRST_WINDOW);
  });

  (redisAvailable() ? it : it.skip)('does not wait for an unavailable queue, nor does direct delivery', async () => {
    const { tenant, receiver } = await open('Redis');
    const endpoint = await stage.endpoint(tenant, receiver.url);
    const queued = await stage.endpoint(tenant, receiver.url, { maxPerSecond: 1_000 });
    await stage.redis!.stop();
    await stage.deal(tenant);
    await stage.worker();
    await stage.statuses(endpoint, ['delivered']);
    await stage.statuses(queued, ['pending']);
    await stage.redis!.start();
    await stage.statuses(queued, ['delivered']);
  });
});
