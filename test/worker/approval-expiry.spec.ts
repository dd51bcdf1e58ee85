import { HOUR_MS } from '#libs/kernel/durations.js';
import { approvalOf, dealOf, decide, park, setGate } from '../e2e/approvals/approval-calls.js';
import { eventsOf } from '../harness/written.js';
import { exhaust } from './automation-stage.js';
import { Stage } from './stage.js';

/** Requests for approval expire. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

test('an undecided request expires, and the action can be requested again', async () => {
  const tenant = await stage.platform.tenant();
  await setGate(tenant, { expiresInHours: 3 });
  const worker = await stage.idleWorker();
  const waiting = await park(tenant.api);
  stage.platform.clock.advance(3 * HOUR_MS - 60_000);
  await exhaust(worker);
  expect((await approvalOf(tenant.api, waiting)).status).toBe('pending');
  stage.platform.clock.advance(60_000);
  await exhaust(worker);
  expect(await approvalOf(tenant.api, waiting)).toMatchObject({
    status: 'expired',
    updatedBy: { type: 'automation', name: 'core.approval.expiry' },
  });
  const events = await eventsOf(stage.platform, tenant, waiting.approval.id);
  expect(events.map(({ type }) => type)).toEqual(['core.approval.requested', 'core.approval.expired']);
  const again = await tenant.api.post(`/api/v1/sales/deals/${waiting.record.id}/win`);
  expect(again.status).toBe(202);
});

test('a decided request does not expire', async () => {
  const tenant = await stage.platform.tenant();
  await setGate(tenant, { expiresInHours: 1, allowSelfApproval: true });
  const worker = await stage.idleWorker();
  const [done, gone] = [await park(tenant.api), await park(tenant.api)];
  await decide(tenant.api, done, 'approve');
  await decide(tenant.api, gone, 'cancel');
  stage.platform.clock.advance(2 * HOUR_MS);
  await exhaust(worker);
  expect((await approvalOf(tenant.api, done)).status).toBe('executed');
  expect((await approvalOf(tenant.api, gone)).status).toBe('cancelled');
});

test('concurrent expiry and approval have one outcome', async () => {
  const tenant = await stage.platform.tenant();
  await setGate(tenant, { expiresInHours: 1, allowSelfApproval: true });
  const worker = await stage.idleWorker();
  for (let round = 0; round < 5; round++) {
    const waiting = await park(tenant.api);
    await stage.sql(`update data.automation_runs set due_at = now() - interval '1 minute' where key = $1`, [
      waiting.approval.id,
    ]);
    const [approved] = await Promise.all([decide(tenant.api, waiting, 'approve'), exhaust(worker)]);
    const { status } = await approvalOf(tenant.api, waiting);
    expect([approved.status, status]).toEqual(approved.status === 200 ? [200, 'executed'] : [409, 'expired']);
    expect((await dealOf(tenant.api, waiting)).status).toBe(status === 'executed' ? 'won' : 'open');
  }
});
