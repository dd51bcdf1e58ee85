import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { ShownPayment } from '#src/areas/finance/payments/payment.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  balances,
  CREDIT_NOTES,
  creditNote,
  expectStatus,
  invoice,
  issuedInvoice,
  payment,
  PAYMENTS,
} from './payment-calls.js';

/** Every way of returning money passes the approval gates of the tenant. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const setGate = (key: string, effect: string) => replaceGates(tenant.api, [{ key, effect }]);

async function paidInvoice() {
  const { id } = await issuedInvoice(tenant.api, 1_000);
  const paid = await payment(tenant.api, 1_000, { allocations: [{ invoiceId: id, amountMinor: 1_000 }] });
  return { id, path: `${PAYMENTS}/${paid.id}` };
}

it('that deny: no money is returned, neither by a refund nor by a credit note', async () => {
  const { api } = tenant;
  await setGate('payment.refund', 'deny');
  const { id, path } = await paidInvoice();
  const note = await creditNote(api, id, { amountMinor: 400, disposition: 'refund' });
  await act(api, `${CREDIT_NOTES}/${note.id}`, 'issue');
  for (const refused of [
    await api.post(`${path}/refund`, { reason: 'x' }),
    await api.patch(path, { status: 'refunded', reason: 'x' }),
    await api.post(`${CREDIT_NOTES}/${note.id}/apply`),
  ])
    expect([refused.status, refused.body['code'], refused.body['gate']]).toEqual([
      403,
      'gate_denied',
      'payment.refund',
    ]);
  expect(await invoice(api, id)).toMatchObject({ status: 'paid', amountPaidMinor: 1_000 });
  expect(await balances(api)).toMatchObject({ 'cash USD': 1_000 });
});

it('that require approval: the refund waits, and runs once when approved', async () => {
  const { api } = tenant;
  await setGate('payment.refund', 'require_approval');
  const { id, path } = await paidInvoice();
  const waiting = await api.post<{ approval: ApprovalView }>(`${path}/refund`, { amountMinor: 600, reason: 'x' });
  const { approval } = expectStatus(waiting, 202);
  expect(await invoice(api, id)).toMatchObject({ status: 'paid', amountPaidMinor: 1_000 });
  const approver = await platform.member(tenant, 'Ada');
  expectStatus(await approver.api.post(`/api/home/approvals/${approval.id}/approve`), 200);
  expect((await api.get<ShownPayment>(path)).body).toMatchObject({ status: 'partially_refunded', refundedMinor: 600 });
  expect(await invoice(api, id)).toMatchObject({ status: 'partially_paid', balanceMinor: 600 });
  expect(await balances(api)).toMatchObject({ 'cash USD': 400, 'receivable USD': 600 });
});

it('for credit notes: no number is taken while one waits', async () => {
  const { api } = tenant;
  await setGate('credit_note.issue', 'require_approval');
  const { id } = await issuedInvoice(api, 1_000);
  const note = await creditNote(api, id);
  const waiting = await api.post<{ approval: ApprovalView }>(`${CREDIT_NOTES}/${note.id}/issue`);
  const { approval } = expectStatus(waiting, 202);
  expect((await api.get(`${CREDIT_NOTES}/${note.id}`)).body).toMatchObject({ status: 'draft', number: null });
  await setGate('payment.refund', 'deny');
  const other = await creditNote(api, (await issuedInvoice(api, 500)).id);
  const first = await act<{ number: string }>(api, `${CREDIT_NOTES}/${other.id}`, 'issue');
  expect(first.number).toMatch(/-00001$/);
  const approver = await platform.member(tenant, 'Ada');
  expectStatus(await approver.api.post(`/api/home/approvals/${approval.id}/approve`), 200);
  const { body } = await api.get<{ number: string }>(`${CREDIT_NOTES}/${note.id}`);
  expect(body.number).toMatch(/-00002$/);
});
