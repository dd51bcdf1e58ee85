import type { ShownCreditNote } from '#src/areas/finance/credit-notes/credit-note.js';
import type { ShownPayment } from '#src/areas/finance/payments/payment.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { define } from '../custom-fields/custom-field-calls.js';
import {
  act,
  balances,
  CREDIT_NOTES,
  creditNote,
  expectStatus,
  INVOICES,
  invoice,
  issuedInvoice,
  journals,
  payment,
  PAYMENTS,
} from './payment-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const VAT = [
  { description: 'Work', unitPriceMinor: 10_000, taxPercent: 20 },
  { description: 'Books', unitPriceMinor: 5_000, taxPercent: 7 },
  { description: 'Stamps', unitPriceMinor: 1_000 },
];
const note = (id: string) => `${CREDIT_NOTES}/${id}`;
const year = new Date().getUTCFullYear();

describe('a credit note', () => {
  it('defaults to the remainder of its invoice', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 0, { lineItems: VAT });
    const draft = await creditNote(api, id);
    expect(draft).toMatchObject({
      status: 'draft',
      number: null,
      currency: 'USD',
      disposition: 'reduce_balance',
      subtotalMinor: 16_000,
      taxMinor: 2_350,
      totalMinor: 18_350,
      allowedActions: ['issue', 'delete'],
    });
    expect(draft.lineItems.map(({ description }) => description)).toEqual(['Work', 'Books', 'Stamps']);
    expect(await invoice(api, id)).toMatchObject({ balanceMinor: 18_350 });
  });

  it('for an amount is distributed over the taxes of the invoice, to the cent', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 0, { lineItems: VAT });
    const draft = await creditNote(api, id, { amountMinor: 1_001 });
    expect(draft).toMatchObject({ totalMinor: 1_001, taxInclusive: true });
    expect(draft.lineItems.map(({ totalMinor, taxPercent }) => [totalMinor, taxPercent])).toEqual([
      [655, 20],
      [291, 7],
      [55, null],
    ]);
    expect(draft.taxMinor).toBe(109 + 19);
  });

  it('is numbered when it is issued, and reduces the balance when it is applied', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 0, { lineItems: VAT, issueDate: `${year - 1}-11-30` });
    const { id } = await creditNote(api, invoiceId, { amountMinor: 8_350 });
    const issued = await act<ShownCreditNote>(api, note(id), 'issue', { issueDate: `${year - 1}-12-31` });
    expect(issued).toMatchObject({
      status: 'issued',
      number: `CN-${year - 1}-00001`,
      issueDate: `${year - 1}-12-31`,
      allowedActions: ['send', 'apply', 'void'],
    });
    expect(await invoice(api, invoiceId)).toMatchObject({ balanceMinor: 18_350, amountCreditedMinor: 0 });
    const { taxMinor } = issued;
    const owed = ['customer_credit -8350', `revenue ${8_350 - taxMinor}`, `tax ${taxMinor}`];
    expect(await journals(api, id)).toEqual([owed]);
    const applied = await act<ShownCreditNote>(api, note(id), 'apply');
    expect(applied).toMatchObject({ status: 'applied', allowedActions: ['send'] });
    expect(await invoice(api, invoiceId)).toMatchObject({
      status: 'overdue',
      balanceMinor: 10_000,
      amountCreditedMinor: 8_350,
    });
    expect((await journals(api, id))[1]).toEqual(['customer_credit 8350', 'receivable -8350']);
    const rest = await creditNote(api, invoiceId);
    expect(rest.totalMinor).toBe(10_000);
    for (const action of ['issue', 'apply']) await act(api, note(rest.id), action);
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'paid', balanceMinor: 0 });
    expect(await balances(api)).toEqual({});
  });

  it('that is void keeps its number and leaves the ledger balanced at zero', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    const { id } = await creditNote(api, invoiceId);
    await act(api, note(id), 'issue');
    const voided = await act<ShownCreditNote>(api, note(id), 'void', { reason: 'By mistake' });
    expect(voided).toMatchObject({ status: 'void', number: `CN-${year}-00001`, voidReason: 'By mistake' });
    expect(await balances(api)).toEqual({ 'receivable USD': 1_000, 'revenue USD': -1_000 });
    const again = await creditNote(api, invoiceId);
    expect(await act<ShownCreditNote>(api, note(again.id), 'issue')).toMatchObject({ number: `CN-${year}-00002` });
  });

  it('draft can be changed, deleted and restored', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    const { id } = await creditNote(api, invoiceId);
    const lineItems = [{ description: 'Half of it', unitPriceMinor: 500 }];
    const changed = await api.patch(note(id), { lineItems, disposition: 'account_credit', tags: ['x'] });
    expect(changed.body).toMatchObject({ totalMinor: 500, disposition: 'account_credit', tags: ['x'], version: 2 });
    const both = await api.patch(note(id), { lineItems, amountMinor: 5 });
    expect(both.body).toMatchObject({ errors: [{ pointer: '/amountMinor', code: 'not_with_line_items' }] });
    expectStatus(await api.delete(note(id)), 200);
    expect((await api.get(note(id))).status).toBe(404);
    expectStatus(await api.post(`${note(id)}/restore`), 200);
  });
});

describe('credit for an invoice that has been paid', () => {
  async function paidInvoice(more: object = {}) {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const first = await payment(api, 600, { allocations: [{ invoiceId: id, amountMinor: 600 }] });
    const second = await payment(api, 300, { allocations: [{ invoiceId: id, amountMinor: 300 }] });
    const draft = await creditNote(api, id, { amountMinor: 500, ...more });
    await act(api, note(draft.id), 'issue');
    return { id, draft, first, second };
  }
  const payments = async (...ids: string[]) =>
    Promise.all(ids.map(async (id) => expectStatus(await tenant.api.get<ShownPayment>(`${PAYMENTS}/${id}`), 200)));

  it('stays with the customer and can pay another invoice', async () => {
    const { api } = tenant;
    const { id, draft, first, second } = await paidInvoice({ disposition: 'account_credit' });
    await act(api, note(draft.id), 'apply');
    expect(await invoice(api, id)).toMatchObject({
      status: 'paid',
      amountPaidMinor: 500,
      amountCreditedMinor: 500,
      balanceMinor: 0,
    });
    expect(await payments(first.id, second.id)).toMatchObject([
      { unallocatedMinor: 100, allocations: [{ invoiceId: id, amountMinor: 500 }] },
      { unallocatedMinor: 300, allocations: [] },
    ]);
    expect(await balances(api)).toEqual({ 'cash USD': 900, 'customer_credit USD': -400, 'revenue USD': -500 });
    const next = await issuedInvoice(api, 300);
    await act(api, `${PAYMENTS}/${second.id}`, 'allocate', { allocations: [{ invoiceId: next.id, amountMinor: 300 }] });
    expect(await invoice(api, next.id)).toMatchObject({ status: 'paid' });
  });

  it('is refunded', async () => {
    const { api } = tenant;
    const { id, draft, first, second } = await paidInvoice({ disposition: 'refund' });
    await act(api, note(draft.id), 'apply');
    expect(await invoice(api, id)).toMatchObject({ status: 'paid', amountPaidMinor: 500, balanceMinor: 0 });
    expect(await payments(first.id, second.id)).toMatchObject([
      { status: 'partially_refunded', refundedMinor: 100, unallocatedMinor: 0, reason: 'Returned goods' },
      { status: 'refunded', refundedMinor: 300 },
    ]);
    expect(await balances(api)).toEqual({ 'cash USD': 500, 'revenue USD': -500 });
  });

  it('is rejected when it may only reduce the balance', async () => {
    const { api } = tenant;
    const { id, draft } = await paidInvoice();
    const refused = await api.post(`${note(draft.id)}/apply`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'amount_exceeds_balance']);
    expect(await invoice(api, id)).toMatchObject({ amountPaidMinor: 900, amountCreditedMinor: 0 });
  });

  it('cannot be refunded without the permission to refund', async () => {
    const { id } = await issuedInvoice(tenant.api, 1_000);
    const clerk = await platform.key(tenant, ['credit-notes:*', 'invoices:read']);
    const body = { invoiceId: id, reason: 'x', disposition: 'refund' };
    expect((await clerk.post(CREDIT_NOTES, body)).status).toBe(403);
    const draft = await creditNote(clerk, id);
    expect((await clerk.patch(note(draft.id), { disposition: 'refund' })).status).toBe(403);
  });
});

describe('crediting an invoice in one step', () => {
  const credit = (id: string, body: object = {}) =>
    tenant.api.post(`${INVOICES}/${id}/credit`, { reason: 'Returned goods', ...body });

  it('is rejected when nothing is left to credit', async () => {
    const { id } = await issuedInvoice(tenant.api, 1_000);
    expect((await credit(id)).status).toBe(200);
    const body = { code: 'required_fields_missing', missingFields: ['lineItems'] };
    expect(await credit(id)).toMatchObject({ status: 409, body });
    expect(await invoice(tenant.api, id)).toMatchObject({ amountCreditedMinor: 1_000 });
  });

  it('leaves a field empty that the tenant requires of those who create credit notes', async () => {
    const { id } = await issuedInvoice(tenant.api, 1_000);
    await define(tenant.api, { recordType: 'finance.credit_note', key: 'region', required: true });
    expect(await credit(id, { amountMinor: 10 })).toMatchObject({ status: 200 });
    expect(await invoice(tenant.api, id)).toMatchObject({ amountCreditedMinor: 10 });
    const refused = await tenant.api.post(CREDIT_NOTES, { invoiceId: id, reason: 'Returned goods' });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/customFields/region', code: 'required' }] },
    });
    const draft = await creditNote(tenant.api, id, { customFields: { region: 'North' } });
    await act(tenant.api, note(draft.id), 'issue');
  });
});

it('leaves no ledger balance when an invoice in a foreign currency is credited in full', async () => {
  const { api } = tenant;
  const lineItems = [{ description: 'Work', unitPriceMinor: 1_000, taxPercent: 19 }];
  const { id } = await issuedInvoice(api, 0, { lineItems, currency: 'EUR', exchange: { rate: '1.0005' } });
  for (const amountMinor of [333, 333, undefined]) {
    const draft = await creditNote(api, id, amountMinor === undefined ? {} : { amountMinor });
    for (const action of ['issue', 'apply']) await act(api, note(draft.id), action);
  }
  expect(await invoice(api, id)).toMatchObject({ status: 'paid', amountCreditedMinor: 1_190 });
  const { body } = await api.get<{ data: { accountCode: string; balanceMinor: number; baseBalanceMinor: number }[] }>(
    '/api/v1/finance/trial-balance',
  );
  const left = body.data.map((row) => [row.accountCode, row.balanceMinor, Math.abs(row.baseBalanceMinor) <= 1]);
  expect(left.every(([, balanceMinor, isRounding]) => balanceMinor === 0 && isRounding)).toBe(true);
  const exact = body.data.filter((row) => row.accountCode === 'receivable' || row.accountCode === 'customer_credit');
  expect(exact.map((row) => row.baseBalanceMinor)).toEqual([0, 0]);
});

describe('the action of an invoice', () => {
  it('creates a credit note that is issued and applied immediately', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 0, { lineItems: VAT });
    expectStatus(await api.post(`${INVOICES}/${id}/payments`, { amountMinor: 18_000 }), 201);
    const credited = await api.post(`${INVOICES}/${id}/credit`, { amountMinor: 1_000, reason: 'Late' });
    expect(expectStatus(credited, 200)).toMatchObject({
      status: 'paid',
      amountCreditedMinor: 1_000,
      amountPaidMinor: 17_350,
      balanceMinor: 0,
    });
    const { body } = await api.get<{ data: ShownCreditNote[] }>(`${CREDIT_NOTES}?invoiceId=${id}`);
    expect(body.data).toMatchObject([
      { status: 'applied', totalMinor: 1_000, reason: 'Late', number: `CN-${year}-00001` },
    ]);
    const paid = await api.get<{ data: ShownPayment[] }>(`${PAYMENTS}?invoiceId=${id}`);
    expect(paid.body.data).toMatchObject([{ unallocatedMinor: 650 }]);
    expect(await balances(api)).toMatchObject({ 'cash USD': 18_000, 'customer_credit USD': -650 });
  });

  it('rejects more than the remaining amount', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const refused = await api.post(`${INVOICES}/${id}/credit`, { amountMinor: 1_001, reason: 'x' });
    expect([refused.status, refused.body['code']]).toEqual([409, 'amount_exceeds_balance']);
    const { body } = await api.get<{ data: ShownCreditNote[] }>(CREDIT_NOTES);
    expect(body.data).toEqual([]);
  });
});
