import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

/** Refusals of unknown names suggest the probable name, and a single failure states its location. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const meant = (name: string) => expect.stringContaining(`Did you mean \`${name}\`?`) as string;
const errorOf = (place: object, code: string, detail: unknown) => ({
  status: 400,
  body: { code: 'validation_failed', errors: [{ ...place, code, detail }] },
});

it.each([
  ['sales/contacts', { name: 'Ana', email: 'ana@acme.example' }, '/email', 'emails'],
  ['sales/deals', { name: 'A', owner: 'me' }, '/owner', 'ownerId'],
  ['sales/deals', { name: 'A', expected_close_date: '2027-01-01' }, '/expected_close_date', 'expectedCloseDate'],
  ['sales/deals', { name: 'A', externalRefs: [{ system: 'x', id: '1', ulr: null }] }, '/externalRefs/0/ulr', 'url'],
  ['finance/invoices', { lineItems: [{ descripton: 'x' }] }, '/lineItems/0/descripton', 'description'],
])('a new record of %s with %j: %s suggests %s', async (path, body, pointer, name) => {
  const { body: answer } = await tenant.api.post<{ errors: object[] }>(`/api/v1/${path}`, body);
  expect(answer.errors).toContainEqual({ pointer, code: 'unknown_field', detail: meant(name) });
});

it('also in a patch, in a batch, and for a custom field', async () => {
  const deals = '/api/v1/sales/deals';
  const { body } = await tenant.api.post(deals, { name: 'A' });
  expect(await tenant.api.patch(`${deals}/${String(body['id'])}`, { nmae: 'B' })).toMatchObject(
    errorOf({ pointer: '/nmae' }, 'unknown_field', meant('name')),
  );
  const field = { recordType: 'sales.deal', key: 'region', label: 'Region', fieldType: 'text' };
  expect((await tenant.api.post('/api/settings/custom-fields', field)).status).toBe(201);
  expect(await tenant.api.post(deals, { name: 'B', customFields: { regoin: 'EMEA' } })).toMatchObject(
    errorOf({ pointer: '/customFields/regoin' }, 'unknown_custom_field', meant('region')),
  );
  expect(await tenant.api.get(`${deals}?customFields.regoin=EMEA`)).toMatchObject(
    errorOf({ parameter: 'customFields.regoin' }, 'unknown_parameter', meant('customFields.region')),
  );
});

it.each([
  ['owner=me', 'owner', 'ownerId'],
  ['owner[in]=me', 'owner[in]', 'ownerId[in]'],
  ['stage[eq]=lead', 'stage[eq]', 'stage'],
  ['order=name', 'order', 'sort'],
  ['order_by=name', 'order_by', 'sort'],
  ['per_page=5', 'per_page', 'limit'],
  ['page%5Bsize%5D=5', 'page[size]', 'limit'],
  ['pageSize=5', 'pageSize', 'limit'],
  ['search=x', 'search', 'q'],
  ['Limit=5', 'Limit', 'limit'],
])('the parameter %s: %s suggests %s', async (query, parameter, name) => {
  expect(await tenant.api.get(`/api/v1/sales/deals?${query}`)).toMatchObject(
    errorOf({ parameter }, 'unknown_parameter', meant(name)),
  );
});

it.each(['page', 'offset', 'skip', 'starting_after', 'page_token', 'page[number]'])(
  'the parameter %s explains paging by cursor',
  async (parameter) => {
    const answer = await tenant.api.get(`/api/v1/sales/deals?${encodeURIComponent(parameter)}=2`);
    const detail = expect.stringContaining('Pages are by `cursor`');
    expect(answer).toMatchObject(errorOf({ parameter }, 'unknown_parameter', detail));
  },
);

it('names without a similar one and unpaged operations get no suggestion', async () => {
  const { body } = await tenant.api.post('/api/v1/sales/deals', { name: 'A', zzzz: 1 });
  expect(body).toMatchObject({
    detail: 'Field /zzzz: The resource has no such field, or it cannot be set.',
    errors: [{ detail: 'The resource has no such field, or it cannot be set.' }],
  });
  const answer = await tenant.api.get(`/api/v1/sales/deals/${String(crypto.randomUUID())}?page=2`);
  expect(answer.body).toMatchObject({ errors: [{ detail: 'The operation has no such parameter.' }] });
});

it('an invalid enum value gets a suggestion', async () => {
  expect(await tenant.api.get('/api/v1/sales/deals?sort=-createdat')).toMatchObject(
    errorOf({ parameter: 'sort' }, 'invalid_value', meant('-createdAt')),
  );
  expect(await tenant.api.post('/api/v1/sales/deals', { name: 'A', dealType: 'new_busines' })).toMatchObject(
    errorOf({ pointer: '/dealType' }, 'invalid_value', meant('new_business')),
  );
});

it.each([
  ['/api/v1/sales/deal', '/api/v1/sales/deals'],
  ['/api/v1/sale/deals', '/api/v1/sales/deals'],
  ['/api/v1/sales/deals/', '/api/v1/sales/deals'],
  ['/API/V1/Sales/Deals', '/api/v1/sales/deals'],
  ['/api/v2/sales/deals', '/api/v1/sales/deals'],
  ['/v1/sales/deals', '/api/v1/sales/deals'],
  ['/api/v1/deals', '/api/v1/sales/deals'],
  ['/api/sales/pipelines', '/api/v1/sales/pipelines'],
  ['/api/v1/sales/deal/7', '/api/v1/sales/deals/{id}'],
  ['/api/v1/sales/deals/7/wins?x=1', '/api/v1/sales/deals/{id}/win'],
  ['/api/admin/audit-log', '/api/admin/audit-logs'],
  ['/health/life', '/health/live'],
])('unknown path %s suggests %s', async (path, template) => {
  expect(Object.keys(platform.document.paths)).toContain(template);
  const detail = `There is nothing at this path. Did you mean \`${template}\`?`;
  expect(await tenant.api.get(path)).toMatchObject({ status: 404, body: { code: 'not_found', detail } });
});

it.each([
  '/api',
  '/api/v1',
  '/.env',
  '/metr',
  '/docs/page.j',
  '/api/v1/sales/zebras/7',
  `/${'x'.repeat(300)}`,
  `/api/v1/sales/deal${'/x'.repeat(100)}`,
])('unknown path %s without suggestion', async (path) => {
  const detail = 'There is nothing at this path.';
  expect(await tenant.api.get(path)).toMatchObject({ status: 404, body: { code: 'not_found', detail } });
});

it('SCIM uses its own error format', async () => {
  const { status, body } = await tenant.api.get('/api/scim/v2/User');
  expect({ status, body }).toMatchObject({ status: 404, body: { detail: meant('/api/scim/v2/Users') } });
});

it.each<[string, () => Promise<{ body: object }>, string]>([
  ['a field', () => tenant.api.post('/api/v1/sales/deals', {}), 'Field /name: The field is required.'],
  [
    'a nested field',
    () => tenant.api.post('/api/v1/sales/contacts', { name: 'Ana', emails: ['x@y@z'] }),
    'Field /emails/0: The text must be an e-mail address such as ana@acme.example.',
  ],
  [
    'a parameter',
    () => tenant.api.get('/api/v1/sales/deals?limit=0'),
    'Parameter limit: The value must be from 1 to 200.',
  ],
  [
    'a rule of the operation',
    () => tenant.api.post('/api/v1/sales/deals', { name: 'A', accountId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' }),
    'Field /accountId: There is no such record.',
  ],
  ['the whole body', () => tenant.api.send('POST', '/api/v1/sales/deals', '[]'), 'The body must be a JSON object.'],
])('the detail of one failure names %s', async (_, ask, detail) => {
  expect((await ask()).body).toMatchObject({ code: 'validation_failed', detail });
});

it('only searches suggestions for a few unknown members, however many a body has', async () => {
  const members = Array.from({ length: 40_000 }, (_, index) => `"nane${index}":[]`);
  const items = Array.from({ length: 100 }, () => `{${members.slice(0, 300).join()}}`);
  const timeOf = async (path: string, body: string) => {
    const started = performance.now();
    expect((await tenant.api.send('POST', path, body)).status).toBe(400);
    return performance.now() - started;
  };
  const flat = `{${members.join()}}`;
  const usual = await timeOf('/api/auth/logout', flat); // has no members, so there are no suggestions
  expect(await timeOf('/api/v1/finance/invoices', flat)).toBeLessThan(usual * 4 + 500);
  expect(await timeOf('/api/v1/finance/invoices', `{"lineItems":[${items.join()}]}`)).toBeLessThan(usual * 4 + 500);
});
