import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, draft, faultsOf, INVOICES, ISSUABLE, issued, read, type ShownInvoice } from './invoice-calls.js';

const UNKNOWN = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const create = (body: object) => tenant.api.post<ShownInvoice>(INVOICES, body);
const change = (id: string, body: object) => tenant.api.patch<ShownInvoice>(`${INVOICES}/${id}`, body);
const account = async (body: object) =>
  (await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex', ...body })).body.id;

describe('a new invoice', () => {
  it('is a draft without a number when only a name is given', async () => {
    const made = await create({ name: 'November' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      object: 'finance.invoice',
      name: 'November',
      status: 'draft',
      number: null,
      currency: 'USD',
      lineItems: [],
      totalMinor: 0,
      balanceMinor: 0,
      issueDate: null,
      contentHash: null,
      isOverdue: false,
      dunning: { paused: false },
      allowedActions: ['issue', 'delete'],
    });
  });

  it('is named Invoice when no name is given, also under the short path', async () => {
    expect((await tenant.api.post('/api/finance/invoices', {})).body).toMatchObject({ name: 'Invoice' });
  });

  it('has one untaxed line for an amount in major units, exactly', async () => {
    const { body } = await create({ amount: 1234.07 });
    expect(body).toMatchObject({ amount: 1234.07, totalMinor: 123_407, taxMinor: 0 });
    expect(body.lineItems).toMatchObject([
      { description: 'Services', quantity: 1, unitPriceMinor: 123_407, position: 1 },
    ]);
  });

  it.each([
    [{ amount: 1, lineItems: [] }, '/amount not_with_line_items'],
    [{ amount: 0.001 }, '/amount out_of_range'],
    [{ amount: 1.5, currency: 'JPY' }, '/amount out_of_range'],
    [{ amount: -1 }, '/amount out_of_range'],
    [{ amountMinor: 100 }, '/amountMinor unknown_field'],
    [{ number: 'INV-1' }, '/number unknown_field'],
    [{ currency: 'usd' }, '/currency unknown_currency'],
    [{ accountId: UNKNOWN }, '/accountId unknown_reference'],
    [{ accountId: UNKNOWN, currency: 'EUR' }, '/accountId unknown_reference'],
    [{ dealId: UNKNOWN }, '/dealId unknown_reference'],
    [{ issueDate: '2026-02-01', dueDate: '2026-01-31' }, '/dueDate out_of_range'],
    [{ exchange: { rate: '0.00' } }, '/exchange/rate out_of_range'],
    [{ customer: { name: 'x', email: 'no address' } }, '/customer/email invalid_format'],
    [{ exchange: { rate: '1,5' } }, '/exchange/rate invalid_format'],
    [
      { lineItems: [{ description: 'x', unitPriceMinor: 1, quantity: 1.00001 }] },
      '/lineItems/0/quantity too_many_decimals',
    ],
    [
      { lineItems: [{ description: 'x', unitPriceMinor: 1, taxRateId: UNKNOWN }] },
      '/lineItems/0/taxRateId unknown_reference',
    ],
    [{ lineItems: [{ description: 'x', unitPriceMinor: 1, productId: UNKNOWN }] }, '/lineItems unknown_reference'],
    [{ lineItems: [{ description: 'x', unitPriceMinor: 9e15, quantity: 2 }] }, '/lineItems/0 out_of_range'],
    [{ lineItems: [{ description: 'x', unitPriceMinor: 1, id: UNKNOWN }] }, '/lineItems/0/id unknown_line'],
    [
      { lineItems: [{ description: 'x', unitPriceMinor: 1, source: { object: 'no.type', id: UNKNOWN } }] },
      '/lineItems/0/source/object unknown_type',
    ],
    [
      { lineItems: [{ description: 'x', unitPriceMinor: 1, source: { object: 'sales.deal', id: UNKNOWN } }] },
      '/lineItems unknown_reference',
    ],
    [
      {
        lineItems: [
          { description: 'x', unitPriceMinor: 1, periodStartDate: '2026-02-01', periodEndDate: '2026-01-01' },
        ],
      },
      '/lineItems/0/periodEndDate out_of_range',
    ],
  ])('is rejected with the body %j', async (body, fault) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(faultsOf(answer)).toEqual([fault]);
  });

  it('may have at most 500 lines', async () => {
    const lines = (count: number) => Array.from({ length: count }, () => ({ description: 'x', unitPriceMinor: 1 }));
    expect((await create({ lineItems: lines(500) })).body.totalMinor).toBe(500);
    expect(faultsOf(await create({ lineItems: lines(501) }))).toEqual(['/lineItems too_many']);
  });

  it('computes lines, taxes and totals', async () => {
    const { body } = await create({
      lineItems: [
        { description: 'Work', quantity: 2.5, unitPriceMinor: 12_000, discountPercent: 10, taxPercent: 20 },
        { description: 'Books', quantity: 3, unitPriceMinor: 1_000, taxPercent: 7 },
        { description: 'Postage', unitPriceMinor: 500 },
      ],
    });
    expect(body).toMatchObject({
      subtotalMinor: 33_500,
      discountMinor: 3_000,
      netMinor: 30_500,
      taxMinor: 5_610,
      totalMinor: 36_110,
      balanceMinor: 36_110,
      amount: 361.1,
      taxBreakdown: [
        { taxRateId: null, name: null, percent: 20, baseMinor: 27_000, taxMinor: 5_400 },
        { taxRateId: null, name: null, percent: 7, baseMinor: 3_000, taxMinor: 210 },
      ],
    });
  });

  it('rounds tax at the level set by the tenant', async () => {
    const other = await platform.tenant();
    await other.api.patch('/api/admin/settings', { finance: { taxRounding: 'total' } });
    const lineItems = [3, 8, 3].map((unitPriceMinor) => ({ description: 'x', unitPriceMinor, taxPercent: 20 }));
    expect((await create({ lineItems })).body).toMatchObject({ taxMinor: 4 });
    expect((await other.api.post(INVOICES, { lineItems })).body).toMatchObject({ taxMinor: 3 });
  });

  it('uses the currency of its account, otherwise that of the tenant', async () => {
    const accountId = await account({ currency: 'EUR' });
    expect((await create({ accountId })).body).toMatchObject({ accountId, currency: 'EUR' });
    expect((await create({ accountId, currency: 'GBP' })).body).toMatchObject({ currency: 'GBP' });
    expect((await create({ accountId: await account({}) })).body).toMatchObject({ currency: 'USD' });
  });

  it('shows every field of its customer, with null for those not given', async () => {
    const { body } = await create({ customer: { name: 'Globex', address: { city: 'London' } } });
    expect(body['customer']).toEqual({
      name: 'Globex',
      email: null,
      taxId: null,
      address: { line1: null, line2: null, city: 'London', region: null, postalCode: null, country: null },
    });
  });
});

describe('a draft', () => {
  it('is recomputed when lines, tax inclusion or the rate change', async () => {
    const { id } = await draft(tenant.api, {
      lineItems: [{ description: 'Work', unitPriceMinor: 12_000, taxPercent: 20 }],
    });
    expect((await change(id, { taxInclusive: true })).body).toMatchObject({
      totalMinor: 12_000,
      taxMinor: 2_000,
      netMinor: 10_000,
    });
    const { lineItems } = await read(tenant.api, id);
    const patched = await change(id, {
      lineItems: [
        { description: 'More', unitPriceMinor: 6_000 },
        { id: lineItems[0]!.id, description: 'Work', unitPriceMinor: 6_000 },
      ],
    });
    expect(patched.body).toMatchObject({ totalMinor: 12_000, taxMinor: 0 });
    expect(patched.body.lineItems[1]).toMatchObject({ id: lineItems[0]!.id, position: 2 });
  });

  it('shows its total in the tenant’s currency, with the decimals of both currencies', async () => {
    const { body } = await create({ currency: 'JPY', amount: 1000, exchange: { rate: '0.00655' } });
    expect(body['exchange']).toEqual({ rate: '0.00655', baseCurrency: 'USD', baseTotalMinor: 655 });
    const kwd = await create({ currency: 'KWD', amount: 1.001, exchange: { rate: '3.25' } });
    expect(kwd.body['exchange']).toMatchObject({ baseTotalMinor: 325 }); // 3.25325 USD
  });

  it('keeps its currency once it has a line', async () => {
    const { id } = await draft(tenant.api, { amount: 10 });
    const refused = await change(id, { currency: 'EUR' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect((await change(id, { currency: 'EUR', lineItems: [] })).body).toMatchObject({
      currency: 'EUR',
      totalMinor: 0,
    });
    expect((await change(id, { currency: 'GBP' })).body).toMatchObject({ currency: 'GBP' });
  });

  it('may have a negative total, but cannot be issued with one', async () => {
    const { id, totalMinor } = await draft(tenant.api, {
      ...ISSUABLE,
      lineItems: [{ description: 'x', quantity: -1, unitPriceMinor: 5 }],
    });
    expect(totalMinor).toBe(-5);
    expect(await act(tenant.api, id, 'issue')).toMatchObject({ status: 409, body: { code: 'total_negative' } });
  });

  it('can be permanently deleted; an issued invoice cannot', async () => {
    const { id } = await draft(tenant.api);
    expect((await tenant.api.delete(`${INVOICES}/${id}`)).body).toMatchObject({ id, deleted: true });
    expect((await tenant.api.get(`${INVOICES}/${id}`)).status).toBe(404);
    const final = await issued(tenant.api);
    expect(await tenant.api.delete(`${INVOICES}/${final.id}`)).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
  });

  it('does not accept the amount a second time', async () => {
    const { id } = await draft(tenant.api, { amount: 10 });
    expect(faultsOf(await change(id, { amount: 20 }))).toEqual(['/amount unknown_field']);
  });
});

describe('a copy', () => {
  it('is a new draft with the same customer and lines, without their sources', async () => {
    const deal = (await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Deal' })).body.id;
    const source = { object: 'sales.deal', id: deal };
    const first = await issued(tenant.api, {
      ...ISSUABLE,
      poNumber: 'PO-1',
      terms: 'Net 30',
      lineItems: [{ description: 'Work', unitPriceMinor: 700, taxPercent: 19, source }],
    });
    const copy = await act(tenant.api, first.id, 'duplicate');
    expect(copy.status).toBe(201);
    expect(copy.headers.get('location')).toBe(`${INVOICES}/${copy.body.id}`);
    expect(copy.body).toMatchObject({
      status: 'draft',
      number: null,
      terms: 'Net 30',
      poNumber: null,
      totalMinor: 833,
      balanceMinor: 833,
      issueDate: null,
    });
    expect(copy.body['customer']).toEqual(first['customer']);
    expect(copy.body.lineItems).toMatchObject([
      { description: 'Work', unitPriceMinor: 700, taxPercent: 19, source: null },
    ]);
    expect(copy.body.lineItems[0]!.id).not.toBe(first.lineItems[0]!.id);
    expect((await act(tenant.api, copy.body.id, 'issue')).status).toBe(200);
  });

  it('keeps the percentage of a tax rate that can no longer be used', async () => {
    const rate = (await tenant.api.post<{ id: string }>('/api/v1/finance/tax-rates', { name: 'VAT', percent: 19 })).body
      .id;
    const first = await draft(tenant.api, {
      ...ISSUABLE,
      lineItems: [{ description: 'Work', unitPriceMinor: 1_000, taxRateId: rate }],
    });
    expect(first.lineItems).toMatchObject([{ taxRateId: rate, taxName: 'VAT', taxPercent: 19 }]);
    expect((await tenant.api.post(`/api/v1/finance/tax-rates/${rate}/archive`)).status).toBe(200);
    const copy = await act(tenant.api, first.id, 'duplicate');
    expect(copy.body.lineItems).toMatchObject([{ taxRateId: null, taxPercent: 19, taxMinor: 190 }]);
    expect((await change(first.id, { taxInclusive: true })).body).toMatchObject({ taxMinor: 160 });
  });
});
