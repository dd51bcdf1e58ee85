import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { INVOICES } from '../finance/invoice-calls.js';
import { makeDeal } from '../sales/deal-calls.js';
import { acted, act, PROPOSALS, sent } from './proposal-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const invoice = (id: string, api = tenant.api) =>
  api.post<{ id: string }>(`${PROPOSALS}/${id}/invoice`, {}, { 'idempotency-key': crypto.randomUUID() });
const BY = { acceptedBy: 'Grace' };

describe('the invoice of a proposal', () => {
  it('is a draft with the accepted lines, account and deal', async () => {
    const { body: account } = await tenant.api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Globex' });
    const { id: dealId } = await makeDeal(tenant.api, { name: 'Workshops', accountId: account.id });
    const { body: rate } = await tenant.api.post<{ id: string }>('/api/v1/finance/tax-rates', {
      name: 'VAT',
      percent: 20,
    });
    const lineItems = [
      { description: 'Workshop', quantity: 2, unitPriceMinor: 120_000, taxRateId: rate.id, discountPercent: 10 },
      { description: 'Recording', unitPriceMinor: 30_000, isOptional: true },
    ];
    const { id } = await sent(tenant.api, { dealId, lineItems });
    expect(await invoice(id)).toMatchObject({ status: 409, body: { code: 'invalid_transition', state: 'sent' } });
    await acted(tenant.api, id, ['accept-offline', BY]);
    const made = await invoice(id);
    expect(made).toMatchObject({
      status: 201,
      body: {
        status: 'draft',
        accountId: account.id,
        dealId,
        proposalId: id,
        totalMinor: 259_200,
        lineItems: [{ description: 'Workshop', quantity: 2, taxRateId: rate.id, discountPercent: 10 }],
      },
    });
    expect(made.headers.get('location')).toBe(`${INVOICES}/${made.body.id}`);
    const { body } = await tenant.api.get<{ data: { id: string }[] }>(`${INVOICES}?proposalId=${id}`);
    expect(body.data.map((each) => each.id)).toEqual([made.body.id]);
  });

  it('is made once, also at the same time, and again when it is deleted', async () => {
    const { id } = await sent(tenant.api);
    await acted(tenant.api, id, ['accept-offline', BY]);
    const answers = await Promise.all([invoice(id), invoice(id), invoice(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject({ body: { code: 'source_already_billed' } });
    const first = answers.find(({ status }) => status === 201)!.body.id;
    expect((await tenant.api.delete(`${INVOICES}/${first}`)).status).toBe(200);
    expect((await invoice(id)).status).toBe(201);
  });

  it('needs the right to write invoices and to read the proposal', async () => {
    const { id } = await sent(tenant.api);
    await act(tenant.api, id, 'accept-offline', BY);
    for (const scopes of [
      ['invoices:read', 'invoices:write'],
      ['proposals:read', 'invoices:read'],
    ])
      expect(await invoice(id, await platform.key(tenant, scopes))).toMatchObject({ status: 403 });
    const both = await platform.key(tenant, ['proposals:read', 'invoices:read', 'invoices:write']);
    expect(await invoice(id, both)).toMatchObject({ status: 201 });
    expect(await invoice(id, (await platform.tenant()).api)).toMatchObject({ status: 404 });
  });
});
