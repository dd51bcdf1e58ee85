import type { ShownAccount } from '#src/areas/sales/accounts/account.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  makeContact,
  ACCOUNTS,
  CONTACTS,
  faultsOf,
  makeAccount,
  namesOf,
  outcomeOf,
  statusesOf,
} from './sales-calls.js';
import { act as actOnDeal, DEALS, makeDeal } from './deal-calls.js';
import { eventsOf } from '../../harness/written.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const act = (id: string, action: string, body?: object) => tenant.api.post(`${ACCOUNTS}/${id}/${action}`, body);
const read = async (id: string) => (await tenant.api.get<ShownAccount>(`${ACCOUNTS}/${id}`)).body;

describe('an account', () => {
  it('needs only a name, and starts as a prospect', async () => {
    expect(await makeAccount(tenant.api, { name: 'Acme' })).toMatchObject({
      object: 'sales.account',
      reference: 'ACC-000001',
      name: 'Acme',
      lifecycle: 'prospect',
      lifecycleBefore: null,
      roles: ['prospect'],
      currency: null,
      billingAddress: null,
      mergedIntoId: null,
      openDealsMinor: null,
    });
  });

  it('stores its domain in lower case and its address as separate fields', async () => {
    const { id, domain } = await makeAccount(tenant.api, {
      domain: 'Acme.Example',
      billingAddress: { line1: '1 Main Street', country: 'US' },
    });
    expect(domain).toBe('acme.example');
    const { body } = await tenant.api.patch(`${ACCOUNTS}/${id}`, {
      billingAddress: { city: 'Springfield', line1: null },
    });
    expect(body['billingAddress']).toEqual({
      line1: null,
      line2: null,
      city: 'Springfield',
      region: null,
      postalCode: null,
      country: 'US',
    });
    expect((await tenant.api.patch(`${ACCOUNTS}/${id}`, { billingAddress: null })).body['billingAddress']).toBeNull();
  });

  it('can be filtered by role, domain in any case, status, tag, search terms and parent', async () => {
    const parent = await makeAccount(tenant.api, { name: 'Parent', roles: ['vendor', 'customer'], tags: ['Key'] });
    await makeAccount(tenant.api, { name: 'Child', domain: 'child.example', parentAccountId: parent.id });
    await act(parent.id, 'activate');
    for (const [query, names] of [
      ['role=customer', ['Parent']],
      ['role[ne]=customer', ['Child']],
      ['role[in]=vendor,prospect', ['Child', 'Parent']],
      ['domain=CHILD.example', ['Child']],
      ['lifecycle=active', ['Parent']],
      ['tag=key', ['Parent']],
      ['q=child exam', ['Child']],
      [`parentAccountId=${parent.id}`, ['Child']],
      ['sort=-name', ['Parent', 'Child']],
    ] as const)
      expect({ query, names: await namesOf(tenant.api, `${ACCOUNTS}?${query}`) }).toEqual({ query, names });
  });

  it.each(['active', 'churned', 'prospect'])('returns to its previous status when unblocked: %s', async (before) => {
    const { id } = await makeAccount(tenant.api);
    if (before !== 'prospect') await act(id, 'activate');
    if (before === 'churned') await act(id, 'churn');
    expect(await act(id, 'block', { reason: 'disputes' })).toMatchObject({
      status: 200,
      body: { lifecycle: 'blocked', lifecycleBefore: before },
    });
    expect(await act(id, 'unblock')).toMatchObject({ status: 200, body: { lifecycle: before, lifecycleBefore: null } });
  });

  it('can also be blocked and unblocked by PATCH, and has no other transition while blocked', async () => {
    const { id } = await makeAccount(tenant.api);
    await act(id, 'activate');
    const patch = (body: object) => tenant.api.patch(`${ACCOUNTS}/${id}`, body);
    expect(faultsOf(await patch({ lifecycle: 'blocked' })).faults).toEqual([['/reason', 'required']]);
    expect((await patch({ lifecycle: 'blocked', reason: 'disputes' })).status).toBe(200);
    for (const lifecycle of ['prospect', 'churned', 'blocked'])
      expect(await patch({ lifecycle })).toMatchObject({
        status: 409,
        body: { code: 'invalid_transition', state: 'blocked' },
      });
    expect(await patch({ lifecycle: 'active' })).toMatchObject({ status: 200, body: { lifecycle: 'active' } });
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type)).toEqual([
      'sales.account.created',
      'sales.account.activated',
      'sales.account.blocked',
      'sales.account.unblocked',
    ]);
  });

  it('shows the value of its open deals by currency, only when read by id with deals:read', async () => {
    const { id } = await makeAccount(tenant.api);
    await makeDeal(tenant.api, { accountId: id, value: 100, currency: 'USD' });
    await makeDeal(tenant.api, { accountId: id, value: 50, currency: 'USD' });
    await makeDeal(tenant.api, { accountId: id, value: 7, currency: 'EUR' });
    await makeDeal(tenant.api, { accountId: id });
    await actOnDeal(tenant.api, (await makeDeal(tenant.api, { accountId: id, value: 1 })).id, 'win');
    const sums = [
      { currency: 'EUR', valueMinor: 700 },
      { currency: 'USD', valueMinor: 15000 },
    ];
    expect((await read(id)).openDealsMinor).toEqual(sums);
    const { body } = await tenant.api.get<{ data: ShownAccount[] }>(ACCOUNTS);
    expect(body.data.map(({ openDealsMinor }) => openDealsMinor)).toEqual([null]);
    const blind = await platform.key(tenant, ['accounts:read']);
    expect((await blind.get(`${ACCOUNTS}/${id}`)).body['openDealsMinor']).toBeNull();
  });
});

describe('an account is never', () => {
  it('its own ancestor at any level', async () => {
    const top = await makeAccount(tenant.api);
    const middle = await makeAccount(tenant.api, { parentAccountId: top.id });
    const bottom = await makeAccount(tenant.api, { parentAccountId: middle.id });
    for (const parentAccountId of [top.id, middle.id, bottom.id]) {
      const answer = await tenant.api.patch(`${ACCOUNTS}/${top.id}`, { parentAccountId });
      expect(faultsOf(answer)).toEqual({ status: 400, faults: [['/parentAccountId', 'cycle']] });
    }
  });

  it('its own ancestor after two concurrent changes', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await makeAccount(tenant.api), await makeAccount(tenant.api)];
      const below = (id: string, parentAccountId: string) => tenant.api.patch(`${ACCOUNTS}/${id}`, { parentAccountId });
      expect(statusesOf(await Promise.all([below(a.id, b.id), below(b.id, a.id)]))).toEqual([200, 400]);
    }
  });

  it('deleted while deals, contacts or accounts belong to it', async () => {
    const { id } = await makeAccount(tenant.api);
    const remove = () => tenant.api.delete(`${ACCOUNTS}/${id}`);
    const deal = await makeDeal(tenant.api, { accountId: id });
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: 'in_use', detail: expect.stringContaining('deals') },
    });
    await tenant.api.delete(`${DEALS}/${deal.id}`);
    const contact = await makeContact(tenant.api, { accountId: id });
    expect(await remove()).toMatchObject({ status: 409, body: { detail: expect.stringContaining('contacts') } });
    await tenant.api.delete(`${CONTACTS}/${contact.id}`);
    const child = await makeAccount(tenant.api, { parentAccountId: id });
    expect(await remove()).toMatchObject({ status: 409, body: { detail: expect.stringContaining('accounts') } });
    await tenant.api.patch(`${ACCOUNTS}/${child.id}`, { parentAccountId: null });
    expect((await remove()).status).toBe(200);
  });

  it('deleted while a deal is being created for it: one of the two is rejected', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await makeAccount(tenant.api);
      const [removed, made] = await Promise.all([
        tenant.api.delete(`${ACCOUNTS}/${id}`),
        tenant.api.post(DEALS, { name: 'a deal', accountId: id }),
      ]);
      expect([
        [200, 400],
        [409, 201],
      ]).toContainEqual([removed.status, made.status]);
    }
  });

  it('referenced while it is deleted or when it belongs to another tenant', async () => {
    const gone = await makeAccount(tenant.api);
    await tenant.api.delete(`${ACCOUNTS}/${gone.id}`);
    const foreign = await makeAccount((await platform.tenant()).api);
    for (const accountId of [gone.id, foreign.id]) {
      const expected = { status: 400, faults: [['/accountId', 'unknown_reference']] };
      expect(faultsOf(await tenant.api.post(DEALS, { name: 'x', accountId }))).toEqual(expected);
      expect(faultsOf(await tenant.api.post(CONTACTS, { name: 'x', accountId }))).toEqual(expected);
    }
    expect(outcomeOf(await tenant.api.post(ACCOUNTS, { name: 'x', parentAccountId: foreign.id })).status).toBe(400);
  });
});

it('accepts no longer payment terms than an invoice', async () => {
  const { api } = await platform.tenant();
  const refused = await api.post('/api/v1/sales/accounts', { name: 'Acme', paymentTermsDays: 366 });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/paymentTermsDays', code: 'out_of_range' }] },
  });
  const { body } = await api.post<{ id: string }>('/api/v1/sales/accounts', { name: 'Acme', paymentTermsDays: 365 });
  const invoice = await api.post<{ id: string }>('/api/v1/finance/invoices', { accountId: body.id, amount: 10 });
  expect(await api.post(`/api/v1/finance/invoices/${invoice.body.id}/issue`)).toMatchObject({
    status: 200,
    body: { paymentTermsDays: 365 },
  });
});
