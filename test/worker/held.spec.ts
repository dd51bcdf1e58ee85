import { BACKLOG_BATCH } from '#libs/webhooks/lanes/endpoint-backlog.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { WebhookUpkeep } from '#libs/webhooks/webhook-upkeep.js';
import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  async function stageOne() {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url);
    return { tenant, receiver, endpoint };
  }

  describe('while an endpoint is paused', () => {
    it('its events are held, and delivered after it is enabled', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      await stage.worker();
      await tenant.api.post(`${endpoint.path}/pause`);
      await stage.deal(tenant, 'first');
      await stage.deal(tenant, 'second');
      await stage.statuses(endpoint, ['held', 'held']);
      expect(receiver.received).toHaveLength(0);
      const enabled = await tenant.api.post(`${endpoint.path}/enable`);
      expect(enabled.body).toMatchObject({ status: 'enabled', disabledReason: null });
      await stage.statuses(endpoint, ['delivered', 'delivered']);
      expect(receiver.received.map(({ event }) => event.data['name']).sort()).toEqual(['first', 'second']);
    });

    it('waiting deliveries are held too, immediately or when due', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const relay = (await stage.idleWorker()).get(EventRelay);
      await stage.deal(tenant);
      await relay.pass();
      await stage.statuses(endpoint, ['pending']);
      await tenant.api.post(`${endpoint.path}/disable`);
      await stage.statuses(endpoint, ['held']);
      await tenant.api.post(`${endpoint.path}/enable`);
      await stage.statuses(endpoint, ['pending']);
      await stage.sql(`update data.webhook_endpoints set status = 'paused' where id = $1`, [endpoint.id]);
      await stage.worker();
      const [delivery] = await stage.statuses(endpoint, ['held']);
      expect(delivery!.attempts).toBe(0);
      expect(receiver.received).toHaveLength(0);
    });

    it('deliveries held after their release are found and released', async () => {
      const { tenant, endpoint } = await stageOne();
      const worker = await stage.idleWorker();
      await stage.deal(tenant);
      await worker.get(EventRelay).pass();
      const hold = `with gone as (delete from data.webhook_queue where endpoint_id = $1)
      update data.webhook_deliveries set status = 'held' where endpoint_id = $1`;
      await stage.sql(hold, [endpoint.id]);
      await worker.get(WebhookUpkeep).releaseStranded();
      await stage.statuses(endpoint, ['pending']);
      await stage.sql(hold, [endpoint.id]);
      await stage.sql(`update data.webhook_endpoints set deleted_at = now() where id = $1`, [endpoint.id]);
      await worker.get(WebhookUpkeep).releaseStranded();
      await stage.statuses(endpoint, ['skipped']);
    });
  });

  describe('deleting an endpoint', () => {
    it('skips open and future deliveries', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const relay = (await stage.idleWorker()).get(EventRelay);
      await stage.deal(tenant);
      await relay.pass();
      await tenant.api.delete(endpoint.path);
      await stage.deal(tenant);
      await stage.worker();
      await stage.statuses(endpoint, ['skipped']);
      expect(receiver.received).toHaveLength(0);
    });

    it('skips a delivery due after the deletion', async () => {
      const { tenant, receiver, endpoint } = await stageOne();
      const relay = (await stage.idleWorker()).get(EventRelay);
      await stage.deal(tenant);
      await relay.pass();
      await stage.sql(`update data.webhook_endpoints set deleted_at = now() where id = $1`, [endpoint.id]);
      await stage.worker();
      await stage.statuses(endpoint, ['skipped']);
      expect(receiver.received).toHaveLength(0);
    });
  });

  describe('a backlog larger than one change of an endpoint can move', () => {
    it('is released by upkeep after the endpoint is enabled, in event order', async () => {
      const { tenant, endpoint } = await stageOne();
      await tenant.api.post(`${endpoint.path}/pause`);
      await stage.sql(
        `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
         subject_type, subject_id, sequence, status, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), $2, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', n, 'held', now() - n * interval '1 second'
       from generate_series(1, $3::integer) n`,
        [tenant.id, endpoint.id, BACKLOG_BATCH * 2 + 1],
      );
      const total = BACKLOG_BATCH * 2 + 1;
      const expectReleased = async (count: number) =>
        expect((await stage.deliveries(endpoint)).map(({ status }) => status)).toEqual([
          ...Array<string>(count).fill('pending'),
          ...Array<string>(total - count).fill('held'),
        ]);
      await tenant.api.post(`${endpoint.path}/enable`);
      await expectReleased(BACKLOG_BATCH);
      await (await stage.idleWorker()).get(WebhookUpkeep).releaseStranded();
      await expectReleased(total);
    });
  });
});
