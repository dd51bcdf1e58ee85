import type { ShownTaxRate } from '#src/areas/finance/tax-rates/tax-rate.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  AppRole,
  creditNote,
  expectStatus,
  INVOICES,
  invoice,
  issuedInvoice,
  statuses,
  TAX_RATES,
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

const rate = async (percent: number, more: object = {}) =>
  expectStatus(await tenant.api.post<ShownTaxRate>(TAX_RATES, { name: 'VAT', percent, ...more }), 201);
const line = (taxRateId: string) => ({ lineItems: [{ description: 'Work', unitPriceMinor: 1_000, taxRateId }] });

describe('a tax rate', () => {
  it('has an exact percentage', async () => {
    const made = await rate(7.5, { country: 'DE', code: 'S7', kind: 'reduced' });
    expect(made).toMatchObject({
      reference: 'TAX-000001',
      percent: 7.5,
      status: 'active',
      country: 'DE',
      code: 'S7',
      kind: 'reduced',
      allowedActions: ['archive'],
    });
    expect(await rate(0.0001)).toMatchObject({ percent: 0.0001, kind: 'standard' });
    for (const percent of [-1, 100.0001, 1.00001, '20'])
      expect((await tenant.api.post(TAX_RATES, { name: 'x', percent })).status).toBe(400);
    const changed = await tenant.api.patch(`${TAX_RATES}/${made.id}`, { percent: 19, name: 'USt' });
    expect(changed.body).toMatchObject({ percent: 19, name: 'USt', version: 2 });
  });

  it('is copied to invoices with its name and percentage', async () => {
    const { id } = await rate(20);
    const { id: invoiceId } = await issuedInvoice(tenant.api, 0, line(id));
    expect(await invoice(tenant.api, invoiceId)).toMatchObject({
      taxMinor: 200,
      taxBreakdown: [{ taxRateId: id, name: 'VAT', percent: 20, baseMinor: 1_000, taxMinor: 200 }],
    });
  });

  it('keeps its percentage once a document uses it, even a draft', async () => {
    const { id } = await rate(20);
    expectStatus(await tenant.api.post(INVOICES, line(id)), 201);
    const refused = await tenant.api.patch(`${TAX_RATES}/${id}`, { percent: 21 });
    expect([refused.status, refused.body['code']]).toEqual([409, 'record_locked']);
    const renamed = await tenant.api.patch(`${TAX_RATES}/${id}`, { name: 'VAT 20 %', percent: 20 });
    expect(renamed.body).toMatchObject({ name: 'VAT 20 %', percent: 20 });
    const app = await AppRole.of(platform, tenant);
    const set = (assignment: string) =>
      app.broken([`update data.finance_tax_rates set ${assignment} where id = $1`, [id]]);
    expect(await set('percent = 1')).toBe('23514 finance_tax_rates_percent_fixed');
    expect(await set('used_at = null')).toBe('23514 finance_tax_rates_percent_fixed');
    expect(await set(`name = 'x'`)).toBe('no error');
    await app.close();
  });

  it('is also used by lines of a credit note', async () => {
    const { id } = await rate(20);
    const { id: invoiceId } = await issuedInvoice(tenant.api, 0, line(id));
    await creditNote(tenant.api, invoiceId, {
      lineItems: [{ description: 'Work', unitPriceMinor: 100, taxRateId: id }],
    });
    expect((await tenant.api.patch(`${TAX_RATES}/${id}`, { percent: 21 })).status).toBe(409);
  });

  it('is either used or changed when both happen concurrently', async () => {
    for (let round = 0; round < 4; round++) {
      const { id } = await rate(20);
      const [used, changed] = await Promise.all([
        tenant.api.post<{ taxMinor: number }>(INVOICES, line(id)),
        tenant.api.patch(`${TAX_RATES}/${id}`, { percent: 50 }),
      ]);
      expect(used.status).toBe(201);
      expect([200, 409]).toContain(changed.status);
      const { body } = await tenant.api.get<ShownTaxRate>(`${TAX_RATES}/${id}`);
      expect(body.percent).toBe(changed.status === 200 ? 50 : 20);
      expect((await tenant.api.patch(`${TAX_RATES}/${id}`, { percent: 60 })).status).toBe(409);
    }
  });

  it('that is archived stays in existing documents and is not available for new ones', async () => {
    const { id } = await rate(20);
    const { id: invoiceId } = await issuedInvoice(tenant.api, 0, line(id));
    const answers = await Promise.all([1, 2].map(() => tenant.api.post(`${TAX_RATES}/${id}/archive`)));
    expect(statuses(answers)).toEqual([200, 409]);
    expect((await tenant.api.get(`${TAX_RATES}/${id}`)).body).toMatchObject({ status: 'archived', allowedActions: [] });
    const refused = await tenant.api.post(INVOICES, line(id));
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/lineItems/0/taxRateId', code: 'unknown_reference' }] });
    expect((await tenant.api.patch(`${TAX_RATES}/${id}`, { name: 'x' })).body['code']).toBe('record_locked');
    const credited = await creditNote(tenant.api, invoiceId, { amountMinor: 600 });
    expect(credited).toMatchObject({ taxMinor: 100, totalMinor: 600 });
    const list = await tenant.api.get<{ data: unknown[] }>(`${TAX_RATES}?includeArchived=true&status=archived`);
    expect(list.body.data).toHaveLength(1);
  });

  it('requires separate permissions to manage and to read', async () => {
    const { id } = await rate(20);
    const reader = await platform.key(tenant, ['tax-rates:read']);
    expect((await reader.get(`${TAX_RATES}/${id}`)).status).toBe(200);
    expect((await reader.post(TAX_RATES, { name: 'x', percent: 1 })).status).toBe(403);
    expect((await reader.post(`${TAX_RATES}/${id}/archive`)).status).toBe(403);
    const other = await platform.tenant();
    const stolen = await other.api.post(INVOICES, line(id));
    expect(stolen.body).toMatchObject({ errors: [{ code: 'unknown_reference' }] });
  });
});
