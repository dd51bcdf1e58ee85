import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal } from './deal-calls.js';
import { faultsOf, makeAccount, makeProduct, PRODUCTS } from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const patch = (id: string, body: object) => tenant.api.patch<ShownDeal>(`${DEALS}/${id}`, body);
const line = (more: object = {}) => ({ description: 'Consulting', unitPriceMinor: 10000, ...more });
const mismatch = { status: 400, body: { code: 'amount_mismatch' } };

describe('the value of a deal with lines', () => {
  it('is their net total after discounts and without taxes', async () => {
    const lineItems = [line({ quantity: 2.5, discountPercent: 10, taxPercent: 20 }), line({ unitPriceMinor: -500 })];
    const deal = await makeDeal(tenant.api, { lineItems });
    expect(deal).toMatchObject({ valueMinor: 22000, value: 220, weightedValueMinor: 2200 });
    expect(deal.lineItems).toMatchObject([
      { position: 1, grossMinor: 25000, discountMinor: 2500, netMinor: 22500, taxMinor: 4500, totalMinor: 27000 },
      { position: 2, netMinor: -500, taxMinor: 0 },
    ]);
  });

  it('cannot be set to another value in either form', async () => {
    expect(await tenant.api.post(DEALS, { name: 'x', lineItems: [line()], value: 99 })).toMatchObject(mismatch);
    const { id } = await makeDeal(tenant.api, { lineItems: [line()], value: 100, valueMinor: 10000 });
    for (const body of [{ value: 99 }, { valueMinor: 1 }, { value: null }, { valueMinor: null }])
      expect(await patch(id, body)).toMatchObject(mismatch);
    expect(await patch(id, { lineItems: [line({ quantity: 3 })], valueMinor: 10000 })).toMatchObject(mismatch);
    expect(await patch(id, { value: 100, nextStep: 'Call' })).toMatchObject({
      status: 200,
      body: { valueMinor: 10000 },
    });
  });

  it('follows the lines, and stays when they are removed', async () => {
    const { id } = await makeDeal(tenant.api, { value: 7, lineItems: [] });
    expect((await patch(id, { lineItems: [line(), line()] })).body).toMatchObject({ valueMinor: 20000 });
    expect((await patch(id, { lineItems: [] })).body).toMatchObject({ valueMinor: 20000, lineItems: [] });
    expect((await patch(id, { value: 5 })).body).toMatchObject({ valueMinor: 500 });
  });

  it('is never negative', async () => {
    const answer = await tenant.api.post(DEALS, { name: 'x', lineItems: [line({ unitPriceMinor: -1 })] });
    expect(faultsOf(answer)).toEqual({ status: 400, faults: [['/lineItems', 'out_of_range']] });
  });

  it('matches the lines under concurrent changes', async () => {
    const { id } = await makeDeal(tenant.api, { value: 1 });
    await Promise.all([
      ...[1, 2, 3].map((quantity) => patch(id, { lineItems: [line({ quantity })] })),
      ...[4, 5, 6].map((value) => patch(id, { value })),
    ]);
    const { body } = await tenant.api.get<ShownDeal>(`${DEALS}/${id}`);
    expect(body.valueMinor).toBe(body.lineItems.reduce((sum, { netMinor }) => sum + netMinor, 0));
  });
});

describe('a line', () => {
  it('keeps its id when sent back to the same deal only', async () => {
    const { id, lineItems } = await makeDeal(tenant.api, { lineItems: [line()] });
    const lineId = lineItems[0]!.id;
    const kept = await patch(id, { lineItems: [line({ id: lineId, quantity: 2 }), line()] });
    expect(kept.body.lineItems[0]!.id).toBe(lineId);
    const foreign = await tenant.api.post(DEALS, { name: 'x', lineItems: [line({ id: lineId })] });
    expect(faultsOf(foreign).faults).toEqual([['/lineItems/0/id', 'unknown_line']]);
  });

  it('refers to an existing product, and keeps it after the product is deleted', async () => {
    const { id: productId } = await makeProduct(tenant.api);
    const foreign = await makeProduct((await platform.tenant()).api);
    const deal = await makeDeal(tenant.api, { lineItems: [line({ productId })] });
    const refused = await tenant.api.post(DEALS, { name: 'x', lineItems: [line({ productId: foreign.id })] });
    expect(faultsOf(refused)).toEqual({ status: 400, faults: [['/lineItems', 'unknown_reference']] });
    await tenant.api.delete(`${PRODUCTS}/${productId}`);
    expect((await patch(deal.id, { lineItems: [line({ productId, quantity: 2 })] })).status).toBe(200);
    expect((await tenant.api.post(DEALS, { name: 'x', lineItems: [line({ productId })] })).status).toBe(400);
  });
});

it('a deal defaults to the currency of its account', async () => {
  const { id: accountId } = await makeAccount(tenant.api, { currency: 'EUR' });
  const plain = await makeAccount(tenant.api);
  expect(await makeDeal(tenant.api, { accountId, value: 1 })).toMatchObject({ currency: 'EUR' });
  expect(await makeDeal(tenant.api, { accountId, currency: 'GBP' })).toMatchObject({ currency: 'GBP' });
  expect(await makeDeal(tenant.api, { accountId: plain.id })).toMatchObject({ currency: 'USD' });
});

it('deals can be filtered by account and by contact', async () => {
  const { id: accountId } = await makeAccount(tenant.api);
  const own = await makeDeal(tenant.api, { accountId });
  await makeDeal(tenant.api);
  const { body } = await tenant.api.get<{ data: ShownDeal[] }>(`${DEALS}?accountId=${accountId}`);
  expect(body.data.map(({ id }) => id)).toEqual([own.id]);
});
