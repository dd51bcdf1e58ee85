import type { ShownPayment } from '#src/areas/finance/payments/payment.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, balances, expectStatus, INVOICES, invoice, issuedInvoice, payment, PAYMENTS } from './payment-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const events = (id: string) =>
  asAdmin<{ type: string }>(platform.database, 'select type from data.events where subject_id = $1 order by id', [
    id,
  ]).then((rows) => rows.map(({ type }) => type));

describe('a payment', () => {
  it('starts as pending without moving money, and pays its invoices when it succeeds', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    const body = { amountMinor: 1_200, allocations: [{ invoiceId, amountMinor: 1_000 }], paymentReference: 'INV 1' };
    const created = expectStatus(await api.post<ShownPayment>(PAYMENTS, body), 201);
    expect(created).toMatchObject({
      status: 'pending',
      reference: 'PAY-000001',
      currency: 'USD',
      method: 'other',
      direction: 'incoming',
      unallocatedMinor: 0,
      settledAt: null,
      allowedActions: ['succeed', 'fail', 'cancel'],
    });
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'issued', balanceMinor: 1_000 });
    const arrived = await act(api, `${PAYMENTS}/${created.id}`, 'succeed', { receivedDate: '2026-11-20' });
    expect(arrived).toMatchObject({ status: 'succeeded', unallocatedMinor: 200, receivedDate: '2026-11-20' });
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'paid', balanceMinor: 0, amountPaidMinor: 1_000 });
    expect(await events(created.id)).toEqual(['finance.payment.created', 'finance.payment.succeeded']);
    expect((await events(invoiceId)).slice(-2)).toEqual(['finance.invoice.payment_recorded', 'finance.invoice.paid']);
  });

  it('that failed or was cancelled pays nothing and is final', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    for (const [action, body, status] of [
      ['fail', { reason: 'No funds' }, 'failed'],
      ['cancel', undefined, 'cancelled'],
    ] as const) {
      const allocations = [{ invoiceId, amountMinor: 1_000 }];
      const { id } = expectStatus(await api.post<ShownPayment>(PAYMENTS, { amountMinor: 1_000, allocations }), 201);
      const done = await act(api, `${PAYMENTS}/${id}`, action, body);
      expect(done).toMatchObject({ status, unallocatedMinor: 0, allowedActions: [] });
      expect((await api.post(`${PAYMENTS}/${id}/succeed`)).body).toMatchObject({
        code: 'invalid_transition',
        state: status,
      });
    }
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'issued', balanceMinor: 1_000 });
    expect((await api.post(`${PAYMENTS}`, { amountMinor: 1 })).status).toBe(201);
    expect(await balances(api)).toEqual({ 'receivable USD': 1_000, 'revenue USD': -1_000 });
  });

  it('can also change state by a PATCH of its status', async () => {
    const { id } = expectStatus(await tenant.api.post<ShownPayment>(PAYMENTS, { amountMinor: 700 }), 201);
    const patched = await tenant.api.patch(`${PAYMENTS}/${id}`, { status: 'succeeded' });
    expect(patched.body).toMatchObject({ status: 'succeeded', unallocatedMinor: 700 });
    const refunded = await tenant.api.patch(`${PAYMENTS}/${id}`, { status: 'refunded', reason: 'By mistake' });
    expect(refunded.body).toMatchObject({ status: 'refunded', refundedMinor: 700, reason: 'By mistake' });
  });

  it('may be allocated later to several invoices while money is left', async () => {
    const { api } = tenant;
    const [one, two] = [await issuedInvoice(api, 300), await issuedInvoice(api, 500)];
    const { id } = await payment(api, 600);
    const path = `${PAYMENTS}/${id}`;
    const first = await act(api, path, 'allocate', { allocations: [{ invoiceId: one.id, amountMinor: 100 }] });
    expect(first).toMatchObject({ status: 'succeeded', unallocatedMinor: 500 });
    const second = await act(api, path, 'allocate', {
      allocations: [
        { invoiceId: two.id, amountMinor: 300 },
        { invoiceId: one.id, amountMinor: 200 },
      ],
    });
    expect(second).toMatchObject({
      unallocatedMinor: 0,
      allocations: [
        { invoiceId: one.id, amountMinor: 300 },
        { invoiceId: two.id, amountMinor: 300 },
      ],
    });
    expect(await invoice(api, one.id)).toMatchObject({ status: 'paid' });
    expect(await invoice(api, two.id)).toMatchObject({ status: 'partially_paid', balanceMinor: 200 });
    const found = await api.get<{ data: ShownPayment[] }>(`${PAYMENTS}?invoiceId=${two.id}`);
    expect(found.body.data.map((each) => each.id)).toEqual([id]);
  });

  it('of an invoice is one call, for the open balance or a part', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 900);
    const part = await api.post<ShownPayment>(`${INVOICES}/${id}/payments`, {
      amountMinor: 400,
      method: 'card',
      receivedDate: '2026-11-19',
      reference: 'order 7',
    });
    expect(expectStatus(part, 201)).toMatchObject({
      status: 'succeeded',
      method: 'card',
      paymentReference: 'order 7',
      receivedDate: '2026-11-19',
      allocations: [{ invoiceId: id, amountMinor: 400 }],
    });
    expect(part.headers.get('location')).toBe(`${PAYMENTS}/${part.body.id}`);
    expect(await invoice(api, id)).toMatchObject({ status: 'partially_paid', balanceMinor: 500 });
    const rest = await api.post<ShownPayment>(`${INVOICES}/${id}/payments`);
    expect(expectStatus(rest, 201)).toMatchObject({ amountMinor: 500 });
    expect(await invoice(api, id)).toMatchObject({ status: 'paid', balanceMinor: 0 });
    const more = await api.post(`${INVOICES}/${id}/payments`);
    expect([more.status, more.body['code']]).toEqual([409, 'amount_exceeds_balance']);
  });

  it('created by the invoice action is an ordinary payment', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 900);
    const paid = await api.post(`${INVOICES}/${id}/pay`, { amountMinor: 900, method: 'cash', reference: 'till 3' });
    expect(expectStatus(paid, 200)).toMatchObject({ status: 'paid', balanceMinor: 0 });
    const { body } = await api.get<{ data: ShownPayment[] }>(`${PAYMENTS}?invoiceId=${id}`);
    expect(body.data).toMatchObject([
      { status: 'succeeded', method: 'cash', paymentReference: 'till 3', amountMinor: 900, unallocatedMinor: 0 },
    ]);
    expect(await balances(api)).toEqual({ 'cash USD': 900, 'revenue USD': -900 });
  });

  it('moves with its account when that is merged into another', async () => {
    const { api } = tenant;
    const account = async (name: string) =>
      expectStatus(await api.post<{ id: string }>('/api/v1/sales/accounts', { name }), 201).id;
    const [from, into] = [await account('Globex Ltd'), await account('Globex')];
    const { id: invoiceId } = await issuedInvoice(api, 500, { accountId: from });
    const { id } = await payment(api, 300, { allocations: [{ invoiceId, amountMinor: 300 }] });
    const other = await issuedInvoice(api, 500, { accountId: into });
    const mismatch = { allocations: [{ invoiceId: other.id, amountMinor: 1 }] };
    const { id: bound } = await payment(api, 5, { accountId: from });
    const refused = await api.post(`${PAYMENTS}/${bound}/allocate`, mismatch);
    expect([refused.status, refused.body['code']]).toEqual([409, 'account_mismatch']);
    expectStatus(await api.post(`/api/v1/sales/accounts/${from}/merge`, { intoId: into }), 200);
    expect((await api.get(`${PAYMENTS}/${id}`)).body).toMatchObject({ accountId: into, status: 'succeeded' });
    await act(api, `${PAYMENTS}/${bound}`, 'allocate', mismatch);
    const { body } = await api.get<{ data: object[] }>(`${INVOICES}/aging`);
    expect(body.data).toMatchObject([{ accountId: into, totalMinor: 699 }]);
  });

  it('with an idempotency key is created once, however often it is sent', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 900);
    const pay = () =>
      api.post<ShownPayment>(`${INVOICES}/${id}/payments`, { amountMinor: 300 }, { 'idempotency-key': 'one' });
    const first = expectStatus(await pay(), 201);
    const again = await pay();
    expect([again.status, again.body.id]).toEqual([201, first.id]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await invoice(api, id)).toMatchObject({ balanceMinor: 600 });
  });
});

describe('a refund', () => {
  it('uses unallocated money first, then takes it from invoices, which are reopened', async () => {
    const { api } = tenant;
    const [one, two] = [await issuedInvoice(api, 400), await issuedInvoice(api, 500)];
    const allocations = [
      { invoiceId: one.id, amountMinor: 400 },
      { invoiceId: two.id, amountMinor: 500 },
    ];
    const { id } = await payment(api, 1_000, { allocations });
    const path = `${PAYMENTS}/${id}`;
    const first = await act(api, path, 'refund', { amountMinor: 300, reason: 'Too much' });
    expect(first).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 300,
      unallocatedMinor: 0,
      reason: 'Too much',
      allocations: [allocations[0], { invoiceId: two.id, amountMinor: 300 }],
    });
    expect(await invoice(api, two.id)).toMatchObject({ status: 'partially_paid', balanceMinor: 200, paidAt: null });
    expect(await invoice(api, one.id)).toMatchObject({ status: 'paid' });
    const second = await act(api, path, 'refund', { reason: 'All of it' });
    expect(second).toMatchObject({ status: 'refunded', refundedMinor: 1_000, allocations: [], allowedActions: [] });
    expect(await invoice(api, one.id)).toMatchObject({ status: 'issued', balanceMinor: 400 });
    expect(await balances(api)).toEqual({ 'receivable USD': 900, 'revenue USD': -900 });
    expect((await events(id)).slice(-2)).toEqual(['finance.payment.refunded', 'finance.payment.refunded']);
  });

  it('requires a separate permission', async () => {
    const { id } = await payment(tenant.api, 1_000);
    const clerk = await platform.key(tenant, ['payments:read', 'payments:write']);
    const refused = await clerk.post(`${PAYMENTS}/${id}/refund`, { reason: 'x' });
    expect([refused.status, refused.body['code']]).toEqual([403, 'permission_denied']);
    const shorthand = await clerk.patch(`${PAYMENTS}/${id}`, { status: 'refunded', reason: 'x' });
    expect(shorthand.status).toBe(403);
  });
});

describe('money', () => {
  it('paid to a vendor is posted with reversed signs', async () => {
    const { api } = tenant;
    const { id } = await payment(api, 800, { direction: 'outgoing' });
    expect(await balances(api)).toEqual({ 'cash USD': -800, 'payable USD': 800 });
    await act(api, `${PAYMENTS}/${id}`, 'refund', { reason: 'Returned' });
    expect(await balances(api)).toEqual({});
  });

  it('in a foreign currency needs a rate, and leaves no ledger balance once settled', async () => {
    const { api } = tenant;
    const more = { currency: 'EUR', exchange: { rate: '1.0005' } };
    const { id } = await issuedInvoice(api, 1_000, more);
    const refused = await api.post(PAYMENTS, { amountMinor: 1, currency: 'EUR' });
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/exchangeRate', code: 'required' }] });
    const inBase = await api.post(PAYMENTS, { amountMinor: 1, exchangeRate: '1.5' });
    expect(inBase.body).toMatchObject({ errors: [{ pointer: '/exchangeRate', code: 'not_with_base_currency' }] });
    const base = { currency: 'EUR', exchangeRate: '1.1' };
    await payment(api, 333, { ...base, allocations: [{ invoiceId: id, amountMinor: 333 }] });
    expectStatus(await api.post(`${INVOICES}/${id}/payments`, { amountMinor: 333 }), 201);
    const last = await payment(api, 500, { ...base, allocations: [{ invoiceId: id, amountMinor: 334 }] });
    expect(await invoice(api, id)).toMatchObject({ status: 'paid' });
    await act(api, `${PAYMENTS}/${last.id}`, 'refund', { amountMinor: 166, reason: 'Too much' });
    const { body } = await api.get<{ data: { accountCode: string; baseBalanceMinor: number }[] }>(
      '/api/v1/finance/trial-balance',
    );
    const inDollars = Object.fromEntries(body.data.map((row) => [row.accountCode, row.baseBalanceMinor]));
    expect(inDollars).toMatchObject({ receivable: 0, customer_credit: 0, revenue: -1_001 });
    expect(Object.values(inDollars).reduce((sum, each) => sum + each, 0)).toBe(0);
    expect(await balances(api)).toMatchObject({ 'cash EUR': 1_000, 'revenue EUR': -1_000 });
  });
});
