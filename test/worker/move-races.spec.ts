import pg from 'pg';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { moveOn } from '#libs/webhooks/leases/ordering.js';
import { until } from '#libs/testing/until.js';
import { BACKENDS, Stage } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  /** Backends currently waiting for a lock. */
  const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(() => stage.close());

  it('a skip not yet visible to the relay parks nothing', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
    const relay = (await stage.idleWorker()).get(EventRelay);
    const deal = await stage.deal(tenant);
    await relay.pass();
    await stage.sql(
      `update data.webhook_queue set retry = true, due_at = now() + interval '1 day' where endpoint_id = $1`,
      [endpoint.id],
    );
    const [first] = await stage.deliveries(endpoint);
    await tenant.api.patch(`/api/v1/sales/deals/${deal}`, { name: 'second' });
    const skipping = new pg.Client({ connectionString: stage.platform.database.systemUrl });
    await skipping.connect();
    await skipping.query('begin');
    await skipping.query(`delete from data.webhook_queue where delivery_id = $1`, [first!.id]);
    const { text, values } = moveOn([{ tenantId: tenant.id, endpointId: endpoint.id, subjectId: deal }]);
    await skipping.query(text, [...values]);
    const relayed = relay.pass();
    await until(async () => (await stage.sql(WAITING)).length > 0);
    await skipping.query('commit');
    await relayed;
    await skipping.end();
    const rows = await stage.deliveries(endpoint);
    expect((rows[1]!.due_at!.getTime() - Date.now()) / 3_600_000).toBeLessThan(1);
  });

  it('one delivery of a record is in flight, even when an older one is replayed', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
    const deal = await stage.deal(tenant);
    await stage.worker();
    const [first] = await stage.statuses(endpoint, ['delivered']);
    let open = 0;
    let most = 0;
    receiver.answer = (_received, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(204).end();
      }, 1500);
      return 'open';
    };
    await tenant.api.patch(`/api/v1/sales/deals/${deal}`, { name: 'second' });
    await until(() => Promise.resolve(open === 1));
    expect((await tenant.api.post(`/api/admin/outbox/${first!.id}/replay`, {})).status).toBe(200);
    await stage.statuses(endpoint, ['delivered', 'delivered']);
    expect(most).toBe(1);
  });

  it('a delivery enqueued during a wait for it is not moved once a worker has leased it', async () => {
    const tenant = await stage.platform.tenant();
    const endpoint = await stage.endpoint(tenant, (await stage.receiver()).url);
    await stage.deal(tenant);
    await stage.worker();
    const [delivery] = await stage.statuses(endpoint, ['delivered']);
    const other = new pg.Client({ connectionString: stage.platform.database.systemUrl });
    await other.connect();
    await other.query('begin');
    await other.query('select 1 from data.webhook_deliveries where id = $1 for update', [delivery!.id]);
    const replayed = tenant.api.post(`/api/admin/outbox/${delivery!.id}/replay`, {});
    await until(async () => (await stage.sql(WAITING)).length > 0);
    await other.query(
      `insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, due_at, leased_until, lease_token)
     values ($1, $2, $3, 'x', 1, now(), now() + interval '1 minute', $4)`,
      [tenant.id, delivery!.id, endpoint.id, stage.leaseToken()],
    );
    await other.query('commit');
    await other.end();
    expect(await replayed).toMatchObject({ status: 409, body: { code: 'outbox_state_conflict', state: 'in_flight' } });
  });
});
