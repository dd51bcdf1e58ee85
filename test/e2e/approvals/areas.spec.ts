import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, INVOICES } from '../finance/invoice-calls.js';
import { APPROVALS } from './approval-calls.js';

/** Gates in areas whose actions have further effects. */
let platform: TestPlatform;
let tenant: TestTenant;
let ada: { id: string; api: Client };
let bob: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
});
afterAll(() => platform.close());

const setGate = (gate: object) =>
  tenant.api.patch('/api/admin/settings', { gates: [{ effect: 'require_approval', ...gate }] });
const approve = (id: string) => bob.api.post<ApprovalView>(`${APPROVALS}/${id}/approve`);

test('a parked invoice takes no number; approved ones are numbered without gaps', async () => {
  await setGate({ key: 'invoice.issue' });
  const parked = [];
  for (let i = 0; i < 3; i++) {
    const { id } = await draft(ada.api);
    const answer = await act(ada.api, id, 'issue');
    expect(answer).toMatchObject({ status: 202, body: { record: { status: 'draft', number: null } } });
    parked.push({ id, approval: (answer.body['approval'] as ApprovalView).id });
  }
  const [first, second, third] = parked;
  const numbers = [];
  for (const { id, approval } of [third!, first!, second!]) {
    expect(await approve(approval)).toMatchObject({ body: { status: 'executed' } });
    numbers.push((await bob.api.get<{ number: string }>(`${INVOICES}/${id}`)).body.number);
  }
  expect(numbers.map((number) => Number(number.slice(-5)))).toEqual([1, 2, 3]);
});

test('a parked change of pay is only visible to those who may see pay', async () => {
  await setGate({ key: 'employee.compensation_change' });
  const { body } = await tenant.api.post<{ id: string }>('/api/v1/people/employees', { name: 'Eve' });
  const change = { effectiveDate: '2026-01-01', payAmountMinor: 987_654, payCurrency: 'EUR', payPeriod: 'month' };
  const path = `/api/v1/people/employees/${body.id}/change-employment`;
  const asked = await ada.api.post<{ approval: ApprovalView }>(path, change);
  expect(asked).toMatchObject({ status: 202, body: { approval: { payload: change } } });
  const { id } = asked.body.approval;
  const limited = await platform.member(tenant, 'Kim', ['approvals:*', 'employees:*']);
  const shown = await limited.api.get<ApprovalView>(`${APPROVALS}/${id}`);
  expect(shown.body.payload).toEqual({ effectiveDate: '2026-01-01' });
  expect((await limited.api.get(APPROVALS)).text).not.toContain('987654');
  expect((await bob.api.get<ApprovalView>(`${APPROVALS}/${id}`)).body.payload).toEqual(change);
  expect(await approve(id)).toMatchObject({ body: { status: 'executed' } });
  const audit = await tenant.api.get(`/api/admin/audit-logs?targetId=${id}`);
  expect(audit.text).not.toContain('987654');
});
