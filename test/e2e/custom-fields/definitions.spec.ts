import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ask, DEALS, define, FIELDS } from './custom-field-calls.js';

/** Definitions of custom fields. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

test('shows defaults', async () => {
  expect(await ask(tenant.api, { key: 'region', label: 'Region' })).toMatchObject({
    status: 201,
    body: {
      object: 'core.custom_field',
      recordType: 'sales.deal',
      key: 'region',
      label: 'Region',
      name: 'Region',
      fieldType: 'text',
      required: false,
      options: [],
      min: null,
      max: null,
      pattern: null,
      target: null,
      defaultValue: null,
      archivedAt: null,
    },
  });
});

const FILTER = { 'customFields.region': 'EMEA' };
const QUESTION = { recordType: 'sales.deal', filter: FILTER, measures: [{ aggregate: 'count' }] };
const VIEW = { name: 'EMEA', recordType: 'sales.deal', filter: FILTER };

/** Each place that takes custom fields, by the first request of a credential that the process knew before. */
test.each([
  ['a list', (api: Client) => api.get(`${DEALS}?customFields.region=EMEA`)],
  ['a record', (api: Client) => api.post(DEALS, { name: 'Acme', customFields: { region: 'EMEA' } })],
  ['a report', (api: Client) => api.post('/api/reports/query', QUESTION)],
  ['a stored report', (api: Client) => api.post('/api/v1/reports/reports', { ...QUESTION, name: 'By region' })],
  ['a saved view', (api: Client) => api.post('/api/settings/saved-views', VIEW)],
])('a field can be used at once in %s', async (_place, use) => {
  const { api } = await platform.member(tenant, 'Ada');
  const { status } = await api.post('/api/reports/query', { ...QUESTION, filter: {} });
  expect(status).toBe(200);
  await define(tenant.api, { key: 'region', label: 'Region' });
  const answer = await use(api);
  expect([answer.status < 300, answer.text]).toEqual([true, expect.any(String)]);
});

test.each([
  [{ recordType: 'sales.dream' }, '/recordType', 'unknown_record_type'],
  [{ recordType: 'core.custom_field' }, '/recordType', 'unknown_record_type'],
  [{ key: 'Region' }, '/key', 'invalid_format'],
  [{ key: '__proto__' }, '/key', 'invalid_format'],
  [{ fieldType: 'file' }, '/fieldType', 'invalid_value'],
  [{ label: '' }, '/label', 'too_short'],
  [{ options: ['a'] }, '/options', 'not_applicable'],
  [{ fieldType: 'select' }, '/options', 'required'],
  [{ fieldType: 'select', options: ['a', 'a'] }, '/options', 'not_unique'],
  [{ fieldType: 'boolean', min: 1 }, '/min', 'not_applicable'],
  [{ min: -1 }, '/min', 'out_of_range'],
  [{ max: 501 }, '/max', 'out_of_range'],
  [{ max: 1.5 }, '/max', 'invalid_type'],
  [{ min: 5, max: 4 }, '/max', 'out_of_range'],
  [{ fieldType: 'integer', pattern: 'a' }, '/pattern', 'not_applicable'],
  [{ pattern: '(a' }, '/pattern', 'invalid_pattern'],
  [{ pattern: '(a)\\1' }, '/pattern', 'invalid_pattern'],
  [{ fieldType: 'reference' }, '/target', 'required'],
  [{ fieldType: 'reference', target: 'sales.dream' }, '/target', 'unknown_record_type'],
  [{ target: 'sales.deal' }, '/target', 'not_applicable'],
  [{ defaultValue: 1 }, '/defaultValue', 'invalid_type'],
  [{ max: 2, defaultValue: 'abc' }, '/defaultValue', 'too_long'],
  [{ pattern: '\\d+', defaultValue: 'abc' }, '/defaultValue', 'invalid_format'],
  [{ fieldType: 'multi_select', options: ['a'], defaultValue: ['b'] }, '/defaultValue/0', 'unknown_option'],
  [{ fieldType: 'member', defaultValue: '01890000-0000-7000-8000-000000000000' }, '/defaultValue', 'not_applicable'],
])('refuses %j', async (more, pointer, code) => {
  expect(await ask(tenant.api, more)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
});

test('key and type cannot be changed; the rest can and is validated as a whole', async () => {
  const { id } = await define(tenant.api, { fieldType: 'integer', min: 1, max: 9, defaultValue: 5 });
  const path = `${FIELDS}/${id}`;
  for (const fixed of [{ key: 'y' }, { fieldType: 'text' }, { recordType: 'sales.pipeline' }])
    expect(await tenant.api.patch(path, fixed)).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_field' }] },
    });
  expect(await tenant.api.patch(path, { max: 4 })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/defaultValue', code: 'out_of_range' }] },
  });
  expect(await tenant.api.patch(path, { max: 4, defaultValue: null, label: 'Y' })).toMatchObject({
    status: 200,
    body: { max: 4, defaultValue: null, label: 'Y', name: 'Y', version: 2 },
  });
});

test('a key is unique per type', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(() => ask(tenant.api, { key: 'region' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)).toMatchObject({ body: { code: 'duplicate', field: 'key' } });
  expect(await ask(tenant.api, { key: 'region', recordType: 'sales.pipeline' })).toMatchObject({ status: 201 });
});

test('a type has at most 100, even with concurrent additions', async () => {
  for (let done = 0; done < 98; done += 14)
    await Promise.all(Array.from({ length: 14 }, (_, i) => define(tenant.api, { key: `f${done + i}` })));
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => ask(tenant.api, { key: `last${i}` })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)).toMatchObject({ body: { code: 'limit_reached' } });
  expect(await ask(tenant.api, { key: 'other', recordType: 'sales.pipeline' })).toMatchObject({ status: 201 });
});

test('requires its scopes', async () => {
  const reader = await platform.key(tenant, ['custom-fields:read']);
  expect(await reader.get(FIELDS)).toMatchObject({ status: 200 });
  expect(await ask(reader, {})).toMatchObject({ status: 403 });
});

test('lists by type', async () => {
  await define(tenant.api, { key: 'a' });
  await define(tenant.api, { key: 'b', recordType: 'sales.pipeline' });
  const { body } = await tenant.api.get<{ data: { key: string }[] }>(`${FIELDS}?recordType=sales.pipeline&sort=-key`);
  expect(body.data.map(({ key }) => key)).toEqual(['b']);
});
