import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, INVOICES, ISSUABLE, issued, read, type ShownInvoice } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const pay = (id: string, body: Record<string, unknown> = {}) => act(tenant.api, id, 'pay', body);
const eventsOf = async (id: string) => {
  const { body } = await tenant.api.get<{ data: { action: string; target: { id: string } }[] }>(
    `/api/admin/audit-logs?targetId=${id}&limit=200`,
  );
  return body.data.map(({ action }) => action.replace('finance.invoice.', '')).reverse();
};

/** Balance of each ledger account over all entries of an invoice. */
async function accountsOf(api: TestTenant['api']): Promise<Record<string, number>> {
  const { body } = await api.get<{ data: { accountCode: string; balanceMinor: number }[] }>(
    '/api/v1/finance/trial-balance',
  );
  return Object.fromEntries(
    body.data.filter(({ balanceMinor }) => balanceMinor !== 0).map((each) => [each.accountCode, each.balanceMinor]),
  );
}

describe('a payment', () => {
  it('of a partial amount leaves the rest open', async () => {
    const { id } = await issued(tenant.api);
    const { status, body } = await pay(id, { amountMinor: 10_000, method: 'cash' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'partially_paid',
      amountPaidMinor: 10_000,
      balanceMinor: 26_000,
      paidAt: null,
    });
    expect(await eventsOf(id)).toEqual(['created', 'issued', 'payment_recorded']);
  });

  it('without an amount pays the invoice in full, which emits a separate event', async () => {
    const { id } = await issued(tenant.api);
    await pay(id, { amountMinor: 1 });
    const { body } = await pay(id);
    expect(body).toMatchObject({ status: 'paid', amountPaidMinor: 36_000, balanceMinor: 0, version: 5 });
    expect(body['paidAt']).not.toBeNull();
    expect(body.allowedActions).toEqual(['send', 'credit']);
    expect(await eventsOf(id)).toEqual(['created', 'issued', 'payment_recorded', 'payment_recorded', 'paid']);
  });

  it('can be recorded by a PATCH of the status', async () => {
    const { id } = await issued(tenant.api);
    const answer = await tenant.api.patch(`${INVOICES}/${id}`, { status: 'paid', method: 'card' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'paid', balanceMinor: 0 } });
  });

  it('cannot exceed the balance, be made twice or be made for a draft', async () => {
    const { id } = await issued(tenant.api);
    expect(await pay(id, { amountMinor: 36_001 })).toMatchObject({
      status: 409,
      body: { code: 'amount_exceeds_balance' },
    });
    expect((await pay(id, { amountMinor: 0 })).status).toBe(400);
    await pay(id);
    expect(await pay(id)).toMatchObject({ status: 409, body: { code: 'invalid_transition', state: 'paid' } });
    const draft = (await act(tenant.api, id, 'duplicate')).body;
    expect(await pay(draft.id)).toMatchObject({ status: 409, body: { code: 'invalid_transition', state: 'draft' } });
  });

  it('needs the scope payments:write', async () => {
    const { id } = await issued(tenant.api);
    const clerk = await platform.key(tenant, ['invoices:*']);
    expect((await act(clerk, id, 'pay')).status).toBe(403);
  });
});

describe('the ledger', () => {
  it('returns to its previous balances after void, write-off and recovery', async () => {
    const other = await platform.tenant();
    const first = await issued(other.api);
    expect(await accountsOf(other.api)).toEqual({ receivable: 36_000, revenue: -30_000, tax: -6_000 });
    await act(other.api, first.id, 'void', { reason: 'Wrong customer' });
    expect(await accountsOf(other.api)).toEqual({});
    const second = await issued(other.api);
    await act(other.api, second.id, 'pay', { amountMinor: 6_000 });
    await act(other.api, second.id, 'write-off', { reason: 'Insolvent' });
    expect(await accountsOf(other.api)).toEqual({ bad_debt: 30_000, cash: 6_000, revenue: -30_000, tax: -6_000 });
    await act(other.api, second.id, 'pay');
    expect(await accountsOf(other.api)).toEqual({ cash: 36_000, revenue: -30_000, tax: -6_000 });
  });
});

describe('void', () => {
  it('keeps the number and records the reason', async () => {
    const { id, number } = await issued(tenant.api);
    const { body } = await act(tenant.api, id, 'void', { reason: 'Wrong customer' });
    expect(body).toMatchObject({ status: 'void', number, voidReason: 'Wrong customer', allowedActions: [] });
    expect(body['voidedAt']).not.toBeNull();
    expect(await act(tenant.api, id, 'void', { reason: 'Again' })).toMatchObject({
      status: 409,
      body: { state: 'void' },
    });
  });

  it('requires a reason, and an invoice without payments or refunds', async () => {
    const { id } = await issued(tenant.api);
    expect((await act(tenant.api, id, 'void')).status).toBe(400);
    await act(tenant.api, id, 'credit', { amountMinor: 100, reason: 'Discount' });
    expect(await act(tenant.api, id, 'void', { reason: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'has_payments' },
    });
    const other = await issued(tenant.api);
    await pay(other.id, { amountMinor: 1 });
    expect(await act(tenant.api, other.id, 'void', { reason: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', state: 'partially_paid' },
    });
  });
});

describe('writing off', () => {
  it('reduces the balance to zero', async () => {
    const { id } = await issued(tenant.api);
    await pay(id, { amountMinor: 6_000 });
    const { body } = await act(tenant.api, id, 'write-off', { reason: 'Insolvent' });
    expect(body).toMatchObject({
      status: 'uncollectible',
      writtenOffMinor: 30_000,
      amountPaidMinor: 6_000,
      balanceMinor: 0,
    });
    expect(body.allowedActions).toEqual(['send', 'pay']);
  });

  it('is reversed by a payment, even a partial one', async () => {
    const { id } = await issued(tenant.api);
    await act(tenant.api, id, 'write-off', { reason: 'Insolvent' });
    const part = await pay(id, { amountMinor: 6_000 });
    expect(part.body).toMatchObject({
      status: 'partially_paid',
      writtenOffMinor: 0,
      amountPaidMinor: 6_000,
      balanceMinor: 30_000,
    });
    expect((await pay(id)).body).toMatchObject({ status: 'paid', balanceMinor: 0 });
    expect(await eventsOf(id)).toEqual([
      'created',
      'issued',
      'written_off',
      'payment_recorded',
      'payment_recorded',
      'paid',
    ]);
  });
});

describe('a credit', () => {
  it('reduces the balance, and marks the invoice as paid when it reaches zero', async () => {
    const { id } = await issued(tenant.api);
    const part = await act(tenant.api, id, 'credit', { amountMinor: 6_000, reason: 'Goods returned' });
    expect(part.body).toMatchObject({
      status: 'issued',
      amountCreditedMinor: 6_000,
      amountPaidMinor: 0,
      balanceMinor: 30_000,
    });
    const rest = await act(tenant.api, id, 'credit', { reason: 'All of it' });
    expect(rest.body).toMatchObject({ status: 'paid', amountCreditedMinor: 36_000, balanceMinor: 0 });
    expect(await eventsOf(id)).toEqual(['created', 'issued', 'credited', 'credited', 'paid']);
  });

  it('cannot exceed the invoice total', async () => {
    const { id } = await issued(tenant.api);
    expect((await act(tenant.api, id, 'credit', { amountMinor: 36_001, reason: 'x' })).status).toBe(409);
    expect(await read(tenant.api, id)).toMatchObject({ amountCreditedMinor: 0, balanceMinor: 36_000 });
  });

  it('on a paid invoice leaves it paid and releases the money', async () => {
    const { id } = await issued(tenant.api);
    const { body } = await pay(id);
    const credited = await act(tenant.api, id, 'credit', { amountMinor: 6_000, reason: 'Goods returned' });
    expect(credited.body).toMatchObject({
      status: 'paid',
      amountCreditedMinor: 6_000,
      amountPaidMinor: 30_000,
      balanceMinor: 0,
      paidAt: body['paidAt'],
    });
  });
});

describe('a refund', () => {
  it('reopens the invoice', async () => {
    const { id } = await issued(tenant.api, { ...ISSUABLE, accountId: null });
    const payment = await tenant.api.post<{ id: string }>(`${INVOICES}/${id}/payments`, { amountMinor: 36_000 });
    expect(payment.status).toBe(201);
    expect(await read(tenant.api, id)).toMatchObject({ status: 'paid' });
    const refund = await tenant.api.post(`/api/v1/finance/payments/${payment.body.id}/refund`, {
      amountMinor: 6_000,
      reason: 'Too much',
    });
    expect(refund.status).toBe(200);
    const invoice: ShownInvoice = await read(tenant.api, id);
    expect(invoice).toMatchObject({
      status: 'partially_paid',
      amountPaidMinor: 30_000,
      balanceMinor: 6_000,
      paidAt: null,
    });
  });
});
