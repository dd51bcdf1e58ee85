import { WebhookUpkeep } from '#libs/webhooks/webhook-upkeep.js';
import { IdempotencyUpkeep } from '#libs/http/idempotency/idempotency-upkeep.js';
import { LEAVE_CLAIM } from '../harness/stored-keys.js';
import { Stage } from './stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe('upkeep', () => {
  it('destroys a previous secret only after its grace period', async () => {
    const tenant = await stage.platform.tenant();
    const receiver = await stage.receiver();
    const [over, running] = [await stage.endpoint(tenant, receiver.url), await stage.endpoint(tenant, receiver.url)];
    for (const { path } of [over, running]) await tenant.api.post(`${path}/rotate-secret`);
    const expire = `update data.webhook_endpoints set previous_secret_expires_at = now() where id = $1`;
    await stage.sql(expire, [over.id]);
    const before = await tenant.api.get(over.path);
    await (await stage.idleWorker()).get(WebhookUpkeep).wipe();
    const kept = `select id from data.webhook_endpoints where previous_secret_sealed is not null`;
    expect(await stage.sql(kept)).toEqual([{ id: running.id }]);
    expect((await tenant.api.get(over.path)).body).toEqual(before.body);
  });

  it('deletes stored responses after ten minutes, and abandoned claims', async () => {
    const tenant = await stage.platform.tenant();
    const create = (key: string) => tenant.api.post('/api/v1/sales/deals', { name: key }, { 'idempotency-key': key });
    for (const key of ['old', 'fresh', 'left', 'held']) await create(key);
    await stage.sql(`update data.idempotency_keys set completed_at = now() - interval '11 minutes' where key = 'old'`);
    await stage.sql(LEAVE_CLAIM, [tenant.id, 'left', '-61 minutes']);
    await stage.sql(LEAVE_CLAIM, [tenant.id, 'held', '-59 minutes']);
    await (await stage.idleWorker()).get(IdempotencyUpkeep).sweep();
    expect(await stage.sql('select key from data.idempotency_keys order by key')).toEqual([
      { key: 'fresh' },
      { key: 'held' },
    ]);
    expect((await create('fresh')).headers.get('idempotent-replayed')).toBe('true');
  });
});
