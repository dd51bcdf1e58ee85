import { jest } from '@jest/globals';
import { DeliveryConsumer } from '#libs/webhooks/sending/delivery.consumer.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { LeaseKeeper } from '#libs/webhooks/leases/lease-keeper.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

it('a worker that cannot set deliveries aside releases their leases, and starts the others', async () => {
  const tenant = await stage.platform.tenant();
  const receiver = await stage.receiver();
  const [paused, open] = [await stage.endpoint(tenant, receiver.url), await stage.endpoint(tenant, receiver.url)];
  const worker = await stage.idleWorker();
  await stage.deal(tenant);
  await worker.get(EventRelay).pass();
  await stage.sql(`update data.webhook_endpoints set status = 'paused' where id = $1`, [paused.id]);
  const repository = worker.get(DeliveryRepository);
  const presence = worker.get(WorkerPresence);
  const leases = await repository.claim({ total: 10, retries: 10, slow: 10 }, presence.token());
  expect(leases).toHaveLength(2);
  const failing = jest.spyOn(repository, 'setAside').mockRejectedValue(new Error('the database is unavailable'));
  await worker
    .get(DeliveryConsumer)
    .run({
      token: leases[0]!.token,
      tenants: [{ id: tenant.id, deliveryIds: leases.map(({ id }) => id) }],
    })
    .catch(() => undefined);
  failing.mockRestore();
  await stage.statuses(open, ['delivered']);
  await until(() => worker.get(LeaseKeeper).workingCount === 0);
});
