import type { INestApplicationContext } from '@nestjs/common';
import { AutomationWorker } from '#libs/automation/automation-worker.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { MailDelivery } from '#libs/mail/mail-delivery.js';
import { TenantClosing } from '#libs/tenants/tenant-closing.js';
import { until } from '#libs/testing/until.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

const stage = await Stage.open();
let worker: INestApplicationContext;
let tenant: TestTenant;
afterAll(() => stage.close());
beforeEach(async () => {
  tenant = await stage.platform.tenant();
});

const suspend = (is: boolean) =>
  stage.sql('update directory.tenants set suspended_at = $2 where id = $1', [tenant.id, is ? new Date() : null]);

it('work for a suspended tenant waits, and none of it is lost', async () => {
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, `${receiver.url}/hook`);
  const [others, elsewhere] = [await stage.platform.tenant(), await stage.receiver()];
  await stage.endpoint(others, `${elsewhere.url}/hook`);
  const account = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Acme' });
  for (let deals = 0; deals < 3; deals++) await stage.deal(tenant);
  const won = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Won', accountId: account.body.id });
  await tenant.api.post(`/api/v1/sales/deals/${won.body.id}/win`);
  await tenant.api.post('/api/admin/invitations', { email: 'bo@acme.example' });
  await suspend(true);
  await stage.deal(others);

  worker = await stage.worker();
  await until(() => Promise.resolve(elsewhere.received.length === 1));
  await until(async () => (await stage.deliveries(endpoint)).length === 5);
  // Enough passes to show that nothing happens.
  for (let passes = 0; passes < 3; passes++) {
    await worker.get(AutomationWorker).pass();
    await worker.get(MailDelivery).pass();
  }
  expect(receiver.received).toHaveLength(0);
  expect(new Set((await stage.deliveries(endpoint)).map(({ status }) => status))).toEqual(new Set(['pending']));
  const states = () =>
    stage.sql<{ state: string }>('select distinct state from data.automation_runs where tenant_id = $1', [tenant.id]);
  const before = (await states()).map(({ state }) => state);
  expect(before).toContain('ready');
  expect(before).not.toContain('done');
  const mails = () => stage.sql<{ state: string }>('select state from data.mails where tenant_id = $1', [tenant.id]);
  expect(await mails()).toEqual([{ state: 'queued' }]);

  await suspend(false);
  await stage.statuses(
    endpoint,
    Array.from({ length: 5 }, () => 'delivered'),
  );
  await until(async () => (await mails())[0]!.state === 'logged');
  await until(async () => (await states()).some(({ state }) => state === 'done'));
});

it('a tenant scheduled for closure is closed when due, and not before', async () => {
  const idle = worker ?? (await stage.idleWorker());
  const sweep = () => idle.get(TenantClosing).sweep();
  const { clock } = stage.platform;
  const closing = await tenant.api.post<{ closesAt: string }>('/api/settings/tenant/close', { reason: 'Over.' });
  expect(closing.status).toBe(200);
  clock.advance(30 * DAY_MS - 60_000);
  await sweep();
  expect((await tenant.api.get('/api/auth/session')).status).toBe(200);
  clock.advance(120_000);
  await sweep();
  await sweep();
  expect(await tenant.api.get('/api/auth/session')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
  const ended = await stage.sql<{ action: string }>(
    `select action from data.audit_log where tenant_id = $1 and action = 'core.tenant.closed'`,
    [tenant.id],
  );
  expect(ended).toHaveLength(1);
  const left = await stage.sql(
    `select from directory.credentials where tenant_id = $1 and revoked_at is null
     union all select from directory.open_invitations where tenant_id = $1`,
    [tenant.id],
  );
  expect(left).toEqual([]);
  clock.advance(-30 * DAY_MS - 60_000);
});
