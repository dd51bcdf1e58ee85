import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { faultsOf, makeProduct, namesOf, PRODUCTS, statusesOf } from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const patch = (id: string, body: object) => tenant.api.patch(`${PRODUCTS}/${id}`, body);

describe('a product', () => {
  it('needs only a name', async () => {
    expect(await makeProduct(tenant.api, { name: 'Consulting' })).toMatchObject({
      reference: 'PROD-000001',
      kind: 'service',
      currency: 'USD',
      unitPriceMinor: null,
      prices: [],
      stocked: false,
      billingInterval: null,
      active: true,
    });
  });

  it('is either active or archived and read-only', async () => {
    const { id } = await makeProduct(tenant.api, { name: 'old' });
    const act = (action: string) => tenant.api.post(`${PRODUCTS}/${id}/${action}`);
    expect(await act('archive')).toMatchObject({ status: 200, body: { active: false } });
    expect(await namesOf(tenant.api, PRODUCTS)).toEqual([]);
    expect(await namesOf(tenant.api, `${PRODUCTS}?includeArchived=true`)).toEqual(['old']);
    expect(await patch(id, { unit: 'h' })).toMatchObject({ status: 409, body: { code: 'record_locked' } });
    expect(await act('archive')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await act('unarchive')).toMatchObject({ status: 200, body: { active: true } });
  });

  it('has one price per currency', async () => {
    const price = (currency: string) => ({ currency, unitPriceMinor: 100 });
    const { id } = await makeProduct(tenant.api, { currency: 'EUR', unitPriceMinor: 90, prices: [price('USD')] });
    expect(faultsOf(await patch(id, { prices: [price('USD'), price('GBP'), price('USD')] })).faults).toEqual([
      ['/prices/2/currency', 'not_unique'],
    ]);
    expect(faultsOf(await patch(id, { currency: 'USD' })).faults).toEqual([['/prices/0/currency', 'not_unique']]);
    expect((await patch(id, { currency: 'USD', unitPriceMinor: 100, prices: [price('EUR')] })).status).toBe(200);
  });

  it('has a billing interval only as a subscription, and stock only as a physical good', async () => {
    const subscription = await makeProduct(tenant.api, { kind: 'subscription' });
    expect(subscription.billingInterval).toBe('month');
    expect(await patch(subscription.id, { kind: 'goods', stocked: true })).toMatchObject({
      status: 200,
      body: { billingInterval: null, stocked: true },
    });
    expect(faultsOf(await patch(subscription.id, { kind: 'service', billingInterval: 'year' })).faults).toEqual([
      ['/stocked', 'invalid_value'],
      ['/billingInterval', 'invalid_value'],
    ]);
  });
});

describe('a stock keeping unit', () => {
  it('is unique ignoring case until its product is deleted', async () => {
    const { id } = await makeProduct(tenant.api, { sku: 'Cons-01' });
    const again = () => tenant.api.post(PRODUCTS, { name: 'again', sku: 'CONS-01' });
    expect(await again()).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'sku' } });
    const other = await makeProduct(tenant.api);
    expect(await patch(other.id, { sku: 'cons-01' })).toMatchObject({ status: 409, body: { code: 'duplicate' } });
    await tenant.api.delete(`${PRODUCTS}/${id}`);
    expect((await again()).status).toBe(201);
    expect(await tenant.api.post(`${PRODUCTS}/${id}/restore`)).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
  });

  it('is assigned once per tenant under concurrent requests', async () => {
    const ask = () => tenant.api.post(PRODUCTS, { name: 'x', sku: 'S-1' });
    expect(statusesOf(await Promise.all([ask(), ask(), ask(), ask()]))).toEqual([201, 409, 409, 409]);
    await makeProduct((await platform.tenant()).api, { sku: 'S-1' });
  });
});
