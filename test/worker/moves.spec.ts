import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import type { TestTenant } from '../harness/platform.js';
import { until } from '#libs/testing/until.js';
import { BACKENDS, Stage, type TestEndpoint } from './stage.js';

describe.each(BACKENDS)('with the queues on %s', (backend) => {
  let stage: Stage;
  let strict: Stage;
  beforeAll(async () => {
    stage = await Stage.open({}, backend);
    strict = await Stage.open({ WEBHOOK_REQUIRE_VERIFICATION: 'true' }, backend);
  });
  afterEach(() => stage.stopWorkers());
  afterAll(async () => {
    await stage.close();
    await strict.close();
  });

  const OUTBOX = '/api/admin/outbox';
  /** Two events of one record for an ordered endpoint; the first is retried in a day, the second waits for it. */
  async function parked(more: Record<string, unknown> = { ordering: 'per_resource' }) {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const endpoint = await stage.endpoint(tenant, receiver.url, more);
    const relay = (await stage.idleWorker()).get(EventRelay);
    const deal = await stage.deal(tenant);
    await relay.pass();
    await stage.sql(
      `update data.webhook_queue set retry = true, due_at = now() + interval '1 day' where endpoint_id = $1`,
      [endpoint.id],
    );
    await stage.sql(
      `update data.webhook_deliveries set status = 'retrying', attempts = 10, attempt_count = 10 where endpoint_id = $1`,
      [endpoint.id],
    );
    await tenant.api.patch(`/api/v1/sales/deals/${deal}`, { name: 'second' });
    await relay.pass();
    const rows = await stage.deliveries(endpoint);
    expect(rows.map(({ status }) => status)).toEqual(['retrying', 'pending']);
    return { tenant, receiver, endpoint, relay, deal, first: rows[0]!, second: rows[1]! };
  }
  const hoursUntilDue = async (endpoint: TestEndpoint, id: string) =>
    ((await stage.deliveries(endpoint)).find((row) => row.id === id)!.due_at!.getTime() - Date.now()) / 3_600_000;
  const api = (tenant: TestTenant) => tenant.api;

  it('a parked delivery is sent when its predecessor is skipped', async () => {
    const { tenant, endpoint, first, second } = await parked();
    expect(await hoursUntilDue(endpoint, second.id)).toBeGreaterThan(20);
    await api(tenant).post(`${OUTBOX}/${first.id}/skip`, { reason: 'x' });
    expect(await hoursUntilDue(endpoint, second.id)).toBeLessThan(1);
  });

  it('a parked delivery is also sent when it was replayed in bulk', async () => {
    const { tenant, endpoint, first, second } = await parked();
    await stage.sql(`delete from data.webhook_queue where delivery_id = $1`, [second.id]);
    await stage.sql(`update data.webhook_deliveries set status = 'exhausted' where id = $1`, [second.id]);
    const done = await api(tenant).post<{ affected: number }>(OUTBOX, { action: 'replay', ids: [second.id] });
    expect(done.body.affected).toBe(1);
    expect(await hoursUntilDue(endpoint, second.id)).toBeGreaterThan(20);
    await api(tenant).post(`${OUTBOX}/${first.id}/skip`, { reason: 'x' });
    expect(await hoursUntilDue(endpoint, second.id)).toBeLessThan(1);
  });

  it('an older event sent to another destination does not wait for a later event', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const plain = await stage.endpoint(tenant, receiver.url);
    const relay = (await stage.idleWorker()).get(EventRelay);
    const deal = await stage.deal(tenant);
    await relay.pass();
    const ordered = await stage.endpoint(tenant, receiver.url, { ordering: 'per_resource' });
    await tenant.api.patch(`/api/v1/sales/deals/${deal}`, { name: 'second' });
    await relay.pass();
    await stage.sql(
      `update data.webhook_queue set retry = true, due_at = now() + interval '1 day' where endpoint_id = $1`,
      [ordered.id],
    );
    const [old] = await stage.deliveries(plain);
    await stage.sql(`delete from data.webhook_queue where delivery_id = $1`, [old!.id]);
    await stage.sql(`update data.webhook_deliveries set status = 'exhausted' where id = $1`, [old!.id]);
    const sent = await tenant.api.post<{ id: string }>(`${OUTBOX}/${old!.id}/replay`, { destinationId: ordered.id });
    expect(sent.status).toBe(200);
    expect(await hoursUntilDue(ordered, sent.body.id)).toBeLessThan(1);
  });

  it('bulk replay skips deliveries of a deleted endpoint', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const gone = await stage.endpoint(tenant, receiver.url);
    const relay = (await stage.idleWorker()).get(EventRelay);
    await stage.deal(tenant);
    await relay.pass();
    await tenant.api.delete(gone.path);
    const kept = await stage.endpoint(tenant, receiver.url);
    await stage.deal(tenant);
    await relay.pass();
    const [row] = await stage.deliveries(kept);
    await tenant.api.post(`${OUTBOX}/${row!.id}/skip`, { reason: 'x' });
    const body = { action: 'replay', filter: { status: ['skipped'] }, limit: 1 };
    const dry = await tenant.api.post(OUTBOX, { ...body, dryRun: true });
    const done = await tenant.api.post(OUTBOX, body);
    const again = await tenant.api.post(OUTBOX, body);
    expect([dry.body, done.body, again.body]).toEqual([
      { matched: 1, affected: 1, test: null },
      { matched: 1, affected: 1, test: null },
      { matched: 0, affected: 0, test: null },
    ]);
  });

  it('an unverified endpoint gets nothing, not even by a resend', async () => {
    const tenant = await strict.platform.tenant();
    const receiver = await strict.receiver();
    const endpoint = await strict.endpoint(tenant, receiver.url);
    await strict.deal(tenant);
    await strict.worker();
    const [row] = await strict.statuses(endpoint, ['held']);
    const answer = await tenant.api.post(`/api/webhooks/deliveries/${row!.id}/resend`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'blocked' } });
    expect(await strict.sql('select 1 from data.webhook_queue where endpoint_id = $1', [endpoint.id])).toEqual([]);
    expect(receiver.received).toHaveLength(0);
  });

  it('a resend is immediate in an ordered lane too', async () => {
    const { tenant, receiver, first, second } = await parked();
    await api(tenant).post(`/api/webhooks/deliveries/${second.id}/resend`);
    await stage.worker();
    await until(() => receiver.received.length > 0);
    expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([second.id]);
    expect(first.id).not.toBe(second.id);
  });

  it('a skipped delivery that a resend delivers has no failure reason', async () => {
    const { tenant, endpoint, first } = await parked({});
    await api(tenant).post(`${OUTBOX}/${first.id}/skip`, { reason: 'x' });
    await api(tenant).post(`/api/webhooks/deliveries/${first.id}/resend`);
    await stage.worker();
    await stage.statuses(endpoint, ['delivered', 'delivered']);
    const shown = await api(tenant).get(`/api/webhooks/deliveries/${first.id}`);
    expect(shown.body['skipReason']).toBeNull();
  });

  it('a replay to another destination is marked as such', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const plain = await stage.endpoint(tenant, receiver.url);
    const relay = (await stage.idleWorker()).get(EventRelay);
    await stage.deal(tenant);
    await relay.pass();
    const other = await stage.receiver();
    const target = await stage.endpoint(tenant, other.url, { eventTypes: ['sales.deal.won'] });
    const [row] = await stage.deliveries(plain);
    await tenant.api.post(`${OUTBOX}/${row!.id}/replay`, { destinationId: target.id });
    await stage.worker();
    await stage.statuses(target, ['delivered']);
    expect(other.received[0]!.headers['x-service-replay']).toBe('true');
  });
});
