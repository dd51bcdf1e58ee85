import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const ACCOUNTS = '/api/v1/sales/accounts';
const CONTACTS = '/api/v1/sales/contacts';
const DEALS = '/api/v1/sales/deals';
const EMPLOYEES = '/api/v1/people/employees';
const CANDIDATES = '/api/v1/talent/candidates';
const FIELDS = '/api/settings/custom-fields';
const INVITATIONS = '/api/admin/invitations';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const post = (path: string, body: object) => tenant.api.post(path, body);
const namesOf = async (query: string) =>
  (await tenant.api.get<{ data: { name: string }[] }>(`${DEALS}?${query}`)).body.data.map(({ name }) => name);

/** What names things: path and other fields. */
const NAMED: [string, object][] = [
  ['/api/admin/roles', { permissions: ['deals:read'] }],
  ['/api/admin/workspaces', {}],
  ['/api/settings/developer/api-keys', { kind: 'service', scopes: ['deals:read'] }],
  [ACCOUNTS, {}],
  [DEALS, {}],
  ['/api/v1/work/tasks', {}],
  ['/api/settings/tags', {}],
];

describe.each(NAMED)('a name at %s', (path, besides) => {
  it.each(['Evil\r\nBcc: victim@x.example', 'a\tb', 'a\u0085b', 'a\u2028b', '\u202eOwner', 'a\u2067b\u2069'])(
    'is not %j',
    async (name) => {
      const { status, body } = await post(path, { name, ...besides });
      expect([status, body['errors']]).toMatchObject([400, [{ pointer: '/name', code: 'invalid_characters' }]]);
    },
  );

  it.each(['\u200b', '\u2060\ufeff', '\u3164', '\u0301', '\u2800'])('is not %j, which nobody sees', async (name) => {
    const { status, body } = await post(path, { name, ...besides });
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    expect(body['errors']).toMatchObject([{ pointer: '/name' }]);
  });

  it('is kept without invisible marks, other than those that writing needs', async () => {
    const kept = ['North', 'می‌خواهم', 'Team 👩‍👩‍👧'];
    for (const name of kept) {
      const { body } = await post(path, { name: `${name}\u200b`, ...besides });
      expect(body['item'] ?? body).toMatchObject({ name });
    }
  });
});

it('takes names that differ only in invisible marks as the same', async () => {
  const role = { permissions: ['deals:read'] };
  expect((await post('/api/admin/roles', { name: 'Seller', ...role })).status).toBe(200);
  for (const name of ['Seller\u200b', 'Sel\u00adler', '\u2060seller', 'S\u200deller'])
    expect((await post('/api/admin/roles', { name, ...role })).status).toBe(409);
});

it('refuses names of tenants and profiles on several lines', async () => {
  const owner = await platform.member(tenant, 'Olivia', ['*'], { roles: ['owner'] });
  for (const path of ['/api/settings/tenant', '/api/settings/profile']) {
    const { status, body } = await owner.api.patch(path, { name: 'Evil\r\nBcc: victim@x.example' });
    expect([path, status, body['errors']]).toMatchObject([path, 400, [{ code: 'invalid_characters' }]]);
  }
});

it('refuses half a surrogate pair anywhere in a body', async () => {
  const view = { name: 'View', recordType: 'sales.deal', filter: { name: 'a\ud83d' } };
  const { status, body } = await post('/api/settings/saved-views', view);
  expect([status, body['code']]).toEqual([400, 'validation_failed']);
});

describe('telephone numbers', () => {
  const given = ['(555) 123-4567', '+49\u00a030\u20111234567 ext. 12', '٠٣٠ ١٢٣٤٥٦٧', '０３－１２３４'];
  const kept = ['(555) 123-4567', '+49 30-1234567 ext. 12', '030 1234567', '03-1234'];

  it.each([CONTACTS, CANDIDATES])('are taken in the usual forms at %s', async (path) => {
    const { status, body } = await post(path, { name: 'Ada', phones: given });
    expect([status, body['phones']]).toEqual([201, kept]);
    for (const phone of ['none', '1-800-FLOWERS', '(12 3', '+'])
      expect((await post(path, { name: 'Ada', phones: [phone] })).status).toBe(400);
  });

  it('are taken in the same forms for employees', async () => {
    for (const [index, phone] of given.entries()) {
      const emergencyContacts = [{ name: 'Kin', phone }];
      const { status, body } = await post(EMPLOYEES, {
        name: 'Ada',
        startDate: '2024-01-01',
        phone,
        emergencyContacts,
      });
      expect([status, body['phone']]).toEqual([201, kept[index]]);
      expect(body['emergencyContacts']).toMatchObject([{ phone: kept[index] }]);
    }
  });
});

it('takes identity and account numbers with brackets and plus signs', async () => {
  for (const number of ['A123456(7)', '811218+9876']) {
    const numbers = { nationalId: number, bankAccount: number };
    expect((await post(EMPLOYEES, { name: 'Ada', startDate: '2024-01-01', ...numbers })).status).toBe(201);
  }
});

describe('internet domains', () => {
  it('of accounts are taken in both forms and kept in one', async () => {
    for (const [domain, stored] of [
      ['münchen.de', 'xn--mnchen-3ya.de'],
      ['xn--d1abbgf6aiiy.xn--p1ai', 'xn--d1abbgf6aiiy.xn--p1ai'],
    ] as const) {
      const { status, body } = await post(ACCOUNTS, { name: domain, domain });
      expect([status, body['domain']]).toEqual([201, stored]);
      const { body: found } = await tenant.api.get<{ data: object[] }>(
        `${ACCOUNTS}?domain=${encodeURIComponent(domain)}`,
      );
      expect(found.data).toMatchObject([{ domain: stored }]);
    }
    expect((await post(ACCOUNTS, { name: 'x', domain: 'no domain' })).status).toBe(400);
  });

  it('of leads match accounts in the other form', async () => {
    const { body: account } = await post(ACCOUNTS, { name: 'Müller', domain: 'xn--mller-kva.de' });
    const { body: lead } = await post('/api/v1/sales/leads', { name: 'Hans', email: 'hans@müller.de' });
    await post(`/api/v1/sales/leads/${String(lead['id'])}/qualify`, {});
    const { body } = await post(`/api/v1/sales/leads/${String(lead['id'])}/convert`, {});
    expect(body['convertedAccountId'] ?? body['accountId']).toBe(account['id']);
  });

  it('of addresses count as the same in both forms', async () => {
    const invite = (email: string) => post(INVITATIONS, { email, roleIds: ['00000000-0000-7000-8000-000000000004'] });
    expect((await invite('b2@münchen.example')).status).toBe(200);
    await invite('b2@xn--mnchen-3ya.example');
    const { body } = await tenant.api.get<{ data: object[] }>(INVITATIONS);
    expect(body.data).toMatchObject([{ email: 'b2@xn--mnchen-3ya.example' }]);
  });

  it.each([CONTACTS, CANDIDATES, EMPLOYEES])('and local parts of addresses have one rule at %s', async (path) => {
    const body = (email: string) =>
      path === CONTACTS
        ? { name: 'Ada', emails: [email] }
        : path === CANDIDATES
          ? { name: 'Ada', email }
          : { name: 'Ada', startDate: '2024-01-01', workEmail: email };
    expect((await post(path, body(`${'a'.repeat(65)}@acme.example`))).status).toBe(400);
    const { status, body: made } = await post(path, body('ad\u200ba@ac\u00adme.example'));
    expect(status).toBe(201);
    expect(JSON.stringify(made)).toContain('"ada@acme.example"');
  });
});

it('takes web addresses in custom fields whatever the case of their scheme', async () => {
  const field = { recordType: 'sales.deal', key: 'site', label: 'Site', fieldType: 'url' };
  expect((await post(FIELDS, field)).status).toBe(201);
  expect((await post(DEALS, { name: 'x', customFields: { site: 'HTTPS://X.EXAMPLE' } })).status).toBe(201);
});

describe('lists in a query', () => {
  beforeEach(async () => {
    for (const [name, value] of [
      ['Smith, Jones', 1],
      ['Other', 2],
      ['Third', 3],
    ] as const)
      await post(DEALS, { name, value });
  });

  it('hold values with commas in quotes', async () => {
    expect(await namesOf(`name[in]=${encodeURIComponent('"Smith, Jones",Other')}&sort=name`)).toEqual([
      'Other',
      'Smith, Jones',
    ]);
  });

  it('are also sent as repeated parameters, as generated clients do', async () => {
    const names = await namesOf(
      `name[in]=${encodeURIComponent('Smith, Jones')}&name[in]=Other&sort=-valueMinor&sort=name`,
    );
    expect(names).toEqual(['Other', 'Smith, Jones']);
    expect(await namesOf('status[in]=open&status[in]=won&sort=valueMinor')).toHaveLength(3);
    expect(await namesOf('status[in]=open,lost&status[in]=won')).toHaveLength(3);
    expect((await tenant.api.get(`${DEALS}?sort=-valueMinor&sort=nothing`)).status).toBe(400);
    expect((await tenant.api.get(`${DEALS}?name=a&name=b`)).body).toMatchObject({
      errors: [{ parameter: 'name', code: 'repeated_parameter' }],
    });
  });
});

it('sorts the names of reports alphabetically', async () => {
  const { api } = await platform.member(tenant, 'Analyst', ['*'], { roles: ['owner'] });
  for (const name of ['zebra', 'Äpfel', 'apple', 'Beta'])
    await api.post('/api/v1/reports/reports', { name, recordType: 'sales.deal', measures: [{ aggregate: 'count' }] });
  const { body } = await api.get<{ data: { name: string }[] }>('/api/v1/reports/reports?sort=name');
  expect(body.data.map(({ name }) => name)).toEqual(['Äpfel', 'apple', 'Beta', 'zebra']);
});

it('sorts stock keeping units alphabetically, empty ones last, over pages', async () => {
  const words = ['apple', 'Äpfel', 'Beta', 'zebra', '中'];
  const sorted = ['Äpfel', 'apple', 'Beta', 'zebra', '中', null];
  for (const sku of [...words.toReversed(), null]) await tenant.api.post('/api/v1/sales/products', { name: 'P', sku });
  const skus = async (sort: string) => {
    const found: { sku: string | null }[] = [];
    for (let cursor = ''; ;) {
      const path = `/api/v1/sales/products?limit=2&sort=${sort}${cursor}`;
      const { body } = await tenant.api.get<{ data: typeof found; page: { nextCursor: string | null } }>(path);
      found.push(...body.data);
      if (body.page.nextCursor === null) return found.map(({ sku }) => sku);
      cursor = `&cursor=${body.page.nextCursor}`;
    }
  };
  expect(await skus('sku')).toEqual(sorted);
  expect(await skus('-sku')).toEqual([...sorted.slice(0, -1).toReversed(), null]);
});
