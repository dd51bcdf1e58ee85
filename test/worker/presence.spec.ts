import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { LostLeases } from '#libs/webhooks/leases/lost-leases.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { until } from '#libs/testing/until.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
beforeEach(() => stage.sql('delete from data.webhook_queue'));
afterAll(() => stage.close());

const PRESENT = `from pg_stat_activity
  where application_name = 'platform-worker-presence' and datname = current_database()`;
const ROOM = { total: 10, retries: 10, slow: 10 };

describe('the leases of a worker', () => {
  it('are released as soon as its connection is lost, and not before', async () => {
    const tenant = await stage.platform.tenant();
    const endpoint = await stage.endpoint(tenant, (await stage.receiver()).url);
    const [holder, other] = [await stage.idleWorker(), await stage.idleWorker()];
    await stage.deal(tenant);
    await holder.get(EventRelay).pass();
    const presence = holder.get(WorkerPresence);
    await presence.beKnown();
    await holder.get(DeliveryRepository).claim(ROOM, presence.token());
    for (let look = 0; look < 3; look++) await other.get(LostLeases).look();
    await stage.statuses(endpoint, ['in_flight']);

    // It lost its connection and has it again by the second check.
    await stage.sql(`select pg_terminate_backend(pid) ${PRESENT}`);
    await until(async () => (await stage.sql(`select 1 ${PRESENT}`)).length === 0);
    await other.get(LostLeases).look();
    await presence.beKnown();
    await other.get(LostLeases).look();
    await stage.statuses(endpoint, ['in_flight']);

    await presence.onModuleDestroy();
    await other.get(LostLeases).look();
    await stage.statuses(endpoint, ['in_flight']);
    await other.get(LostLeases).look();
    const [given] = await stage.statuses(endpoint, ['pending']);
    expect(given!.due_at!.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('return their deliveries to their previous positions, before later ones', async () => {
    const tenant = await stage.platform.tenant();
    await stage.endpoint(tenant, (await stage.receiver()).url);
    const [holder, other] = [await stage.idleWorker(), await stage.idleWorker()];
    const claim = (total: number) =>
      other.get(DeliveryRepository).claim({ ...ROOM, total }, holder.get(WorkerPresence).token());
    await stage.deal(tenant);
    await other.get(EventRelay).pass();
    const [first] = await claim(1);
    await stage.deal(tenant);
    await other.get(EventRelay).pass();
    for (let look = 0; look < 2; look++) await other.get(LostLeases).look(); // the holder never held its lock
    expect(await claim(1)).toMatchObject([{ id: first!.id }]);

    await stage.sql(`update data.webhook_queue set retry = true where delivery_id = $1`, [first!.id]);
    for (let look = 0; look < 2; look++) await other.get(LostLeases).look();
    const [later] = await claim(1);
    expect(later!.id).not.toBe(first!.id); // failed deliveries wait behind new ones
  });
});
