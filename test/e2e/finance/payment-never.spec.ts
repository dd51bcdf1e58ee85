import { uuidv7 } from '#libs/kernel/id.js';
import type { ShownPayment } from '#src/areas/finance/payments/payment.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  act,
  AppRole,
  balances,
  expectStatus,
  INVOICES,
  invoice,
  issuedInvoice,
  payment,
  PAYMENTS,
  statuses,
} from './payment-calls.js';

/** Invariants of payments, tested with single requests, concurrent requests and direct SQL. */
let platform: TestPlatform;
let tenant: TestTenant;
let app: AppRole;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  app = await AppRole.of(platform, tenant);
});
afterEach(() => app.close());
afterAll(() => platform.close());

const times = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('an invoice is never paid beyond its total', () => {
  it('by two concurrent payments of any kind', async () => {
    const { api } = tenant;
    const pay = (id: string, index: number) =>
      [
        () => api.post(`${INVOICES}/${id}/payments`, { amountMinor: 1_000 }),
        () => api.post(`${INVOICES}/${id}/pay`, { amountMinor: 1_000 }),
        () =>
          api.post(PAYMENTS, {
            amountMinor: 1_000,
            status: 'succeeded',
            allocations: [{ invoiceId: id, amountMinor: 1_000 }],
          }),
      ][index % 3]!();
    const { id } = await issuedInvoice(api, 1_000);
    const answers = await times(6, (index) => pay(id, index));
    expect(statuses(answers).slice(1)).toEqual([409, 409, 409, 409, 409]);
    expect(await invoice(api, id)).toMatchObject({ status: 'paid', amountPaidMinor: 1_000, balanceMinor: 0 });
    expect(await balances(api)).toEqual({ 'cash USD': 1_000, 'revenue USD': -1_000 });
    const { body } = await api.get<{ data: ShownPayment[] }>(`${PAYMENTS}`);
    expect(body.data).toHaveLength(1);
  });

  it('by many concurrent partial payments', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const answers = await times(8, () => api.post(`${INVOICES}/${id}/payments`, { amountMinor: 300 }));
    expect(statuses(answers)).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(await invoice(api, id)).toMatchObject({ amountPaidMinor: 900, balanceMinor: 100 });
    expect(await balances(api)).toEqual({ 'cash USD': 900, 'receivable USD': 100, 'revenue USD': -1_000 });
  });

  it('even by direct SQL', async () => {
    const { id } = await issuedInvoice(tenant.api, 1_000);
    const paid = await payment(tenant.api, 5_000, { allocations: [{ invoiceId: id, amountMinor: 1_000 }] });
    const more = `update data.finance_payment_allocations set amount_minor = 1001 where payment_id = $1`;
    expect(await app.broken([more, [paid.id]])).toBe('TOP06');
    const all: [string, unknown[]][] = [
      [more, [paid.id]],
      [`update data.finance_payments set allocated_minor = 1001 where id = $1`, [paid.id]],
      [`update data.finance_invoices set amount_paid_minor = 1001, balance_minor = -1 where id = $1`, [id]],
    ];
    expect(await app.broken(...all)).toMatch(/^23514 finance_invoices_/);
  });
});

describe('a payment never pays more than its amount', () => {
  it('with excessive allocations', async () => {
    const { api } = tenant;
    const { id } = await issuedInvoice(api, 1_000);
    const body = { amountMinor: 500, allocations: [{ invoiceId: id, amountMinor: 501 }] };
    const refused = await api.post(PAYMENTS, body);
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/allocations', code: 'out_of_range' }] });
    const twice = { invoiceId: id, amountMinor: 100 };
    const doubled = await api.post(PAYMENTS, { amountMinor: 500, allocations: [twice, twice] });
    expect(doubled.body).toMatchObject({ errors: [{ pointer: '/allocations/1/invoiceId', code: 'not_unique' }] });
    const { id: pending } = expectStatus(await api.post<ShownPayment>(PAYMENTS, { amountMinor: 500 }), 201);
    const late = await api.post(`${PAYMENTS}/${pending}/succeed`, {
      allocations: [{ invoiceId: id, amountMinor: 501 }],
    });
    expect(late.status).toBe(400);
    const smaller = await api.patch(`${PAYMENTS}/${pending}`, { amountMinor: 99, allocations: [twice] });
    expect(smaller.status).toBe(400);
  });

  it('by concurrent allocations', async () => {
    const { api } = tenant;
    const invoices = await Promise.all([1, 2, 3, 4].map(() => issuedInvoice(api, 1_000)));
    const { id } = await payment(api, 1_000);
    const answers = await times(4, (index) =>
      api.post(`${PAYMENTS}/${id}/allocate`, { allocations: [{ invoiceId: invoices[index]!.id, amountMinor: 400 }] }),
    );
    expect(statuses(answers)).toEqual([200, 200, 400, 400]);
    const { body } = await api.get<ShownPayment>(`${PAYMENTS}/${id}`);
    expect(body).toMatchObject({ unallocatedMinor: 200 });
    const balance = (await Promise.all(invoices.map((each) => invoice(api, each.id)))).map((each) => each.balanceMinor);
    expect(balance.sort()).toEqual([1_000, 1_000, 600, 600]);
  });

  it('nor is it refunded twice by concurrent refunds', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    const { id } = await payment(api, 1_000, { allocations: [{ invoiceId, amountMinor: 1_000 }] });
    const refund = () => api.post(`${PAYMENTS}/${id}/refund`, { amountMinor: 600, reason: 'x' });
    const answers = await times(5, refund);
    expect(statuses(answers)).toEqual([200, 409, 409, 409, 409]);
    expect(await invoice(api, invoiceId)).toMatchObject({ balanceMinor: 600, status: 'partially_paid' });
    expect(await balances(api)).toEqual({ 'cash USD': 400, 'receivable USD': 600, 'revenue USD': -1_000 });
  });

  it('even by direct SQL', async () => {
    const { id } = await payment(tenant.api, 500);
    const set = (assignment: string) =>
      app.broken([`update data.finance_payments set ${assignment} where id = $1`, [id]]);
    expect(await set('reason = null')).toBe('no error');
    expect(await set('allocated_minor = 501')).toMatch(/^23514 finance_payments_within/);
    expect(await set('allocated_minor = 500')).toBe('TOP06');
    expect(await set('refunded_minor = 1')).toMatch(/^23514/);
    expect(await set('amount_minor = 900')).toBe('TOP05');
    expect(await set(`currency = 'EUR'`)).toBe('TOP05');
    expect(await set(`status = 'pending', settled_at = null`)).toBe('TOP05');
    expect(await app.broken([`delete from data.finance_payments where id = $1`, [id]])).toBe('42501');
  });
});

describe('a payment never crosses', () => {
  it('to another tenant', async () => {
    const other = await platform.tenant();
    const { id: invoiceId } = await issuedInvoice(other.api, 1_000);
    for (const body of [{ status: 'succeeded' }, {}] as object[]) {
      const allocations = [{ invoiceId, amountMinor: 10 }];
      const refused = await tenant.api.post(PAYMENTS, { amountMinor: 10, allocations, ...body });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ errors: [{ code: 'unknown_reference' }] });
    }
    const { id: pending } = expectStatus(await tenant.api.post<ShownPayment>(PAYMENTS, { amountMinor: 10 }), 201);
    const meant = await tenant.api.patch(`${PAYMENTS}/${pending}`, { allocations: [{ invoiceId, amountMinor: 10 }] });
    expect(meant.status).toBe(400);
    const { id } = await payment(tenant.api, 100);
    const later = await tenant.api.post(`${PAYMENTS}/${id}/allocate`, {
      allocations: [{ invoiceId, amountMinor: 10 }],
    });
    const unknown = await tenant.api.post(`${PAYMENTS}/${id}/allocate`, {
      allocations: [{ invoiceId: uuidv7(), amountMinor: 10 }],
    });
    expect(later.body['errors']).toEqual(unknown.body['errors']);
    expect((await tenant.api.post(`${INVOICES}/${invoiceId}/payments`, { amountMinor: 1 })).status).toBe(404);
    const smuggle = `insert into data.finance_payment_allocations
      (tenant_id, payment_id, invoice_id, currency, amount_minor, created_at) values ($1, $2, $3, 'USD', 10, now())`;
    expect(await app.broken([smuggle, [tenant.id, id, invoiceId]])).toMatch(/^23503/);
    expect(await invoice(other.api, invoiceId)).toMatchObject({ balanceMinor: 1_000 });
  });

  it('to another currency', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000, { currency: 'EUR', exchange: { rate: '1.1' } });
    const { id } = await payment(api, 1_000);
    const body = { allocations: [{ invoiceId, amountMinor: 10 }] };
    const refused = await api.post(`${PAYMENTS}/${id}/allocate`, body);
    expect([refused.status, refused.body['code']]).toEqual([409, 'currency_mismatch']);
    const smuggle = `insert into data.finance_payment_allocations
      (tenant_id, payment_id, invoice_id, currency, amount_minor, created_at) values ($1, $2, $3, $4, 10, now())`;
    for (const currency of ['USD', 'EUR'])
      expect(await app.broken([smuggle, [tenant.id, id, invoiceId, currency]])).toMatch(/^23503/);
  });

  it('to an invoice without an open balance', async () => {
    const { api } = tenant;
    const draft = await api.post<{ id: string }>(INVOICES, { amount: 5 });
    const voided = await issuedInvoice(api, 500);
    expectStatus(await api.post(`${INVOICES}/${voided.id}/void`, { reason: 'x' }), 200);
    for (const id of [draft.body.id, voided.id]) {
      const refused = await api.post(`${INVOICES}/${id}/payments`, { amountMinor: 100 });
      expect([refused.status, refused.body['code']]).toEqual([409, 'invalid_transition']);
      const allocations = [{ invoiceId: id, amountMinor: 100 }];
      expect((await api.post(PAYMENTS, { amountMinor: 100, status: 'succeeded', allocations })).status).toBe(409);
    }
    expect(await balances(api)).toEqual({});
  });
});

describe('a payment is never', () => {
  it('created twice for one provider id, however many concurrent requests report it', async () => {
    const provider = { name: 'stripe', id: 'pi_1' };
    const { id: invoiceId } = await issuedInvoice(tenant.api, 1_000);
    const answers = await times(6, () =>
      tenant.api.post(`${INVOICES}/${invoiceId}/payments`, { amountMinor: 100, provider }),
    );
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect(refused.body).toMatchObject({ code: 'duplicate', field: 'provider' });
    expect(await invoice(tenant.api, invoiceId)).toMatchObject({ amountPaidMinor: 100 });
    expect((await tenant.api.post(PAYMENTS, { amountMinor: 1, provider: { name: 'adyen', id: 'pi_1' } })).status).toBe(
      201,
    );
    const other = await platform.tenant();
    expect((await other.api.post(PAYMENTS, { amountMinor: 1, provider })).status).toBe(201);
  });

  it('edited after the money has moved, except for fields that do not affect money', async () => {
    const { id } = await payment(tenant.api, 500);
    const path = `${PAYMENTS}/${id}`;
    for (const patch of [
      { amountMinor: 600 },
      { currency: 'EUR' },
      { receivedDate: '2026-01-01' },
      { allocations: [] },
    ]) {
      const refused = await tenant.api.patch(path, patch);
      expect([refused.status, refused.body['code']]).toEqual([409, 'record_locked']);
    }
    const noted = await tenant.api.patch(path, { paymentReference: 'INV 5', tags: ['checked'] });
    expect(noted.body).toMatchObject({ paymentReference: 'INV 5', tags: ['checked'], amountMinor: 500 });
    expect((await tenant.api.delete(path)).status).toBe(405);
  });

  it('left inconsistent by a refund that is rolled back half way', async () => {
    const { api } = tenant;
    const { id: invoiceId } = await issuedInvoice(api, 1_000);
    const paid = await payment(api, 1_000, { allocations: [{ invoiceId, amountMinor: 1_000 }] });
    const stale = await api.post(`${PAYMENTS}/${paid.id}/refund`, { reason: 'x' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'paid' });
    await act(api, `${PAYMENTS}/${paid.id}`, 'refund', { reason: 'x' });
    expect(await invoice(api, invoiceId)).toMatchObject({ status: 'issued' });
  });
});
