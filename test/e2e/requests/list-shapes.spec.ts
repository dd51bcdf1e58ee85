import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const DEALS = '/api/v1/sales/deals';
const ACCOUNTS = '/api/v1/sales/accounts';

interface Item {
  id: string;
  [field: string]: unknown;
}
interface List {
  data: Item[];
  page: { hasMore: boolean; nextCursor: string | null; total?: number };
  included?: Record<string, { name: string } | null>;
}

let platform: TestPlatform;
let tenant: TestTenant;
let api: Client;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ api } = tenant);
});

async function make(path: string, body: object): Promise<Item> {
  const { status, body: made } = await api.post<Item>(path, body);
  expect(status).toBe(201);
  return made;
}

const list = async (path: string, client = api): Promise<List> => {
  const { status, body } = await client.get<List>(path);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};

describe('fields', () => {
  it('leave out all others, in lists and of one record', async () => {
    const { id, version } = await make(DEALS, { name: 'Acme renewal', value: 25000 });
    const shown = { id, object: 'sales.deal', name: 'Acme renewal', valueMinor: 2_500_000 };
    expect((await list(`${DEALS}?fields=name,valueMinor`)).data).toEqual([shown]);
    const one = await api.get(`${DEALS}/${id}?fields=valueMinor&fields=name`);
    expect(one.body).toEqual(shown);
    const etag = `"${String(version)}"`;
    expect(one.headers.get('etag')).toBe(etag);
    expect((await api.get(`${DEALS}/${id}?fields=name`, { 'if-none-match': etag })).status).toBe(304);
  });

  it('have a cursor that goes on with any fields', async () => {
    for (const name of ['a', 'b']) await make(DEALS, { name });
    const { page } = await list(`${DEALS}?limit=1&sort=name&fields=name`);
    const { data } = await list(`${DEALS}?limit=1&sort=name&fields=stage&count=true&cursor=${page.nextCursor}`);
    expect(data).toEqual([{ id: expect.any(String) as string, object: 'sales.deal', stage: 'qualification' }]);
  });

  it('can be single custom fields', async () => {
    for (const key of ['region', 'tier'])
      await make('/api/settings/custom-fields', { label: key, key, recordType: 'sales.deal', fieldType: 'text' });
    const { id } = await make(DEALS, { name: 'x', customFields: { region: 'EMEA', tier: 'gold' } });
    const object = 'sales.deal';
    expect((await api.get(`${DEALS}/${id}?fields=customFields.region`)).body).toEqual({
      ...{ id, object },
      customFields: { region: 'EMEA' },
    });
    const { data } = await list(`${DEALS}?fields=customFields.tier,customFields`);
    expect(data).toEqual([{ id, object, customFields: { region: 'EMEA', tier: 'gold' } }]);
    for (const path of [DEALS, `${DEALS}/${id}`]) {
      const { status, body } = await api.get(`${path}?fields=customFields.regoin,name`);
      expect({ status, body }).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', errors: [{ parameter: 'fields', code: 'unknown_custom_field' }] },
      });
      expect(JSON.stringify(body['errors'])).toContain('Did you mean `region`?');
    }
  });

  it('must exist', async () => {
    const { id } = await make(DEALS, { name: 'x' });
    for (const path of [DEALS, `${DEALS}/${id}`]) {
      const { status, body } = await api.get(`${path}?fields=id,stagee,customField.x`);
      const errors = ['stagee', 'customField.x'].map((name) => ({
        parameter: 'fields',
        code: 'unknown_field',
        detail: expect.stringContaining(`The record has no field ${name}.`) as string,
      }));
      expect({ status, body }).toMatchObject({ status: 400, body: { code: 'validation_failed', errors } });
      expect(JSON.stringify(body['errors'])).toContain('Did you mean `stage`?');
    }
    expect((await api.get(`${DEALS}?fields=`)).status).toBe(400);
    const { body } = await api.get(`${DEALS}?select=name`);
    expect(JSON.stringify(body['errors'])).toContain('Did you mean `fields`?');
  });

  it('stay hidden from callers who may not see them', async () => {
    const path = '/api/v1/people/employees';
    const { id } = await make(path, { name: 'Ada Okafor', personalEmail: 'ada@example.com' });
    const narrow = await platform.key(tenant, ['employees:read']);
    const asked = `?fields=personalEmail,name`;
    expect((await api.get(`${path}/${id}${asked}`)).body).toHaveProperty('personalEmail', 'ada@example.com');
    const shown = { id, object: 'people.employee', name: 'Ada Okafor' };
    expect((await narrow.get<Item>(`${path}/${id}${asked}`)).body).toEqual(shown);
    expect((await list(path + asked, narrow)).data).toEqual([shown]);
  });
});

describe('include', () => {
  it('names what ids point to, once each', async () => {
    const account = await make(ACCOUNTS, { name: 'Acme Inc.' });
    const contacts = [await make('/api/v1/sales/contacts', { name: 'Ada Okafor', accountId: account.id })];
    const [contact] = contacts;
    for (const name of ['a', 'b']) await make(DEALS, { name, accountId: account.id, contactIds: [contact!.id] });
    const { data, included } = await list(`${DEALS}?include=account,contact,owner,pipeline`);
    const pipelineId = data[0]!['pipelineId'] as string;
    const label = ({ id, object, reference, name }: Item) => ({ object, id, reference, name });
    expect(included).toEqual({
      [account.id]: label(account),
      [contact!.id]: label(contact!),
      [pipelineId]: { object: 'sales.pipeline', id: pipelineId, reference: 'PIPE-000000', name: 'Sales' },
    });
    expect(await list(`${DEALS}?include=account&stage=demo`)).toMatchObject({ data: [], included: {} });
    expect(await list(DEALS)).not.toHaveProperty('included');
  });

  it('names members, and what custom fields point to', async () => {
    const { id: membershipId } = await platform.member(tenant, 'Grace');
    for (const [key, more] of Object.entries({
      sponsor: { fieldType: 'member' },
      partner: { fieldType: 'reference', target: 'sales.account' },
    }))
      await make('/api/settings/custom-fields', { label: key, key, recordType: 'sales.deal', ...more });
    const { id } = await make(ACCOUNTS, { name: 'Partner' });
    await make(DEALS, { name: 'x', ownerId: membershipId, customFields: { sponsor: membershipId, partner: id } });
    const { included } = await list(`${DEALS}?include=owner,customFields`);
    expect(included).toMatchObject({
      [membershipId]: { object: 'core.membership', id: membershipId, reference: null, name: 'Grace' },
      [id]: { object: 'sales.account', name: 'Partner' },
    });
  });

  it('adds the fields that it is about to those that were asked for', async () => {
    const { id: accountId } = await make(ACCOUNTS, { name: 'Acme Inc.' });
    const { id } = await make(DEALS, { name: 'x', accountId });
    const { data, included } = await list(`${DEALS}?fields=name&include=account`);
    expect(data).toEqual([{ id, object: 'sales.deal', name: 'x', accountId }]);
    expect(included).toMatchObject({ [accountId]: { name: 'Acme Inc.' } });
  });

  it('shows the actions that the caller may take, as the record itself does', async () => {
    const { id } = await make(DEALS, { name: 'x' });
    await make(DEALS, { name: 'y' });
    await api.post(`${DEALS}/${id}/lose`, { lostReason: 'price' });
    const narrow = await platform.key(tenant, ['deals:read', 'deals:write']);
    for (const client of [api, narrow]) {
      const { data } = await list(`${DEALS}?include=allowedActions&sort=name`, client);
      const each = await Promise.all(data.map((item) => client.get<Item>(`${DEALS}/${item.id}`)));
      expect(data).toEqual(each.map(({ body }) => body));
      expect(data[0]!['allowedActions']).not.toEqual(data[1]!['allowedActions']);
    }
    expect((await list(DEALS)).data.map(({ allowedActions }) => allowedActions)).toEqual([null, null]);
  });

  it('must be one of the documented names', async () => {
    const { status, body } = await api.get(`${DEALS}?include=acount`);
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [{ parameter: 'include', code: 'invalid_value' }] },
    });
    expect(JSON.stringify(body['errors'])).toContain('Did you mean `account`?');
  });
});

describe('count', () => {
  it('is exact on every page, with filters, words and rights', async () => {
    const made: Item[] = [];
    for (const name of ['acme one', 'acme two', 'globex']) made.push(await make(DEALS, { name }));
    await api.delete(`${DEALS}/${made[2]!.id}`);
    const first = await list(`${DEALS}?limit=1&count=true&sort=name`);
    expect(first.page.total).toBe(2);
    const second = await list(`${DEALS}?limit=1&count=true&sort=name&cursor=${first.page.nextCursor}`);
    expect(second.page).toMatchObject({ total: 2, hasMore: false });
    const counted = async (query: string, client = api) =>
      (await list(`${DEALS}?count=true${query}`, client)).page.total;
    expect(await counted('')).toBe(2);
    expect(await counted('&limit=1&includeDeleted=true')).toBe(3);
    expect(await counted('&limit=1&q=acme')).toBe(2);
    expect(await counted('&limit=1&q=!')).toBe(0);
    expect(await counted('&limit=1&name=acme one')).toBe(1);
    expect((await list(`${DEALS}?limit=1`)).page).not.toHaveProperty('total');
    expect((await list(`${DEALS}?limit=1&count=false`)).page).not.toHaveProperty('total');
  });

  it('counts only what the caller may see', async () => {
    const { body: elsewhere } = await api.post<Item>('/api/admin/workspaces', {
      name: 'Elsewhere',
      visibility: 'closed',
    });
    for (const name of ['a', 'b']) await make(DEALS, { name });
    await make(DEALS, { name: 'c', workspaceId: elsewhere.id });
    const { api: limited } = await platform.member(tenant, 'Grace', ['*'], { roles: ['member'] });
    expect((await list(`${DEALS}?count=true&limit=1`)).page.total).toBe(3);
    expect((await list(`${DEALS}?count=true&limit=1`, limited)).page.total).toBe(2);
    const { included } = await list(`${DEALS}?include=workspace`);
    expect(included).toMatchObject({
      [elsewhere.id]: { object: 'core.workspace', name: 'Elsewhere', reference: null },
    });
  });
});
