import { MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const sql = (text: string, values: unknown[]) => asAdmin(platform.database, text, values);

async function sloOf({ api }: TestTenant, key: string) {
  const { body } = await api.get<{ data: { key: string }[] }>('/api/admin/slo');
  return body.data.find((slo) => slo.key === key);
}

it('deliveries are bad as soon as they were refused for good, and good again if they arrive in time after all', async () => {
  const tenant = await platform.tenant();
  const at = platform.clock.now().toISOString();
  const add = async (status: string) => {
    const id = uuidv7();
    await sql(
      `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
         subject_type, subject_id, sequence, status, created_at, delivered_at)
       values ($1, $2, $3, $3, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, $4, $5,
         case $4 when 'delivered' then $5::timestamptz end)`,
      [tenant.id, id, uuidv7(), status, at],
    );
    await sql(
      `insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms)
       values ($1, $2, 1, $2, 'schedule', $3, 40)`,
      [tenant.id, id, at],
    );
    return id;
  };
  for (let i = 0; i < 12; i++) await add('delivered');
  const refused: string[] = [];
  for (let i = 0; i < 4; i++) refused.push(await add('exhausted'));
  platform.clock.advance(1_000);
  expect(await sloOf(tenant, 'webhook_delivery')).toMatchObject({ good: 12, total: 16, sliPercent: 75 });
  const report = await tenant.api.get('/api/admin/compliance/sla-report');
  expect(report.body).toMatchObject({ webhooks: { deliveredPercent: 75 } });
  platform.clock.advance(2 * MINUTE_MS);
  await sql(
    `update data.webhook_deliveries set status = 'delivered', delivered_at = $3 where tenant_id = $1 and id = any($2)`,
    [tenant.id, refused, platform.clock.now().toISOString()],
  );
  platform.clock.advance(1_000);
  expect(await sloOf(tenant, 'webhook_delivery')).toMatchObject({ good: 16, total: 16, sliPercent: 100 });
});
