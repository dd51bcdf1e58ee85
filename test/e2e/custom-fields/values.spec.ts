import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { deal, DEALS, define, FIELDS } from './custom-field-calls.js';

/** Values of custom fields on records. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const NOBODY = '01890000-0000-7000-8000-000000000000';
const names = async (filter: string) => {
  const answer = await tenant.api.get<{ data: { name: string }[] }>(`${DEALS}?${filter}&sort=createdAt`);
  return answer.status === 200 ? answer.body.data.map(({ name }) => name) : answer;
};

test('an undefined key is refused at its place', async () => {
  await define(tenant.api, { key: 'region' });
  await define(tenant.api, { key: 'elsewhere', recordType: 'sales.pipeline' });
  expect(await deal(tenant.api, { region: 'EMEA' })).toMatchObject({
    status: 201,
    body: { customFields: { region: 'EMEA' } },
  });
  for (const key of ['regio', 'elsewhere', 'constructor'])
    expect(await deal(tenant.api, { [key]: 'x' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: `/customFields/${key}`, code: 'unknown_custom_field' }] },
    });
  const stranger = await platform.tenant();
  expect(await deal(stranger.api, { region: 'EMEA' })).toMatchObject({ status: 400 });
});

describe('values', () => {
  const choice = { options: ['red', 'green'] };
  const cases: [object, unknown[], [unknown, string, string?][]][] = [
    [
      { fieldType: 'text', min: 2, max: 3, pattern: '[a-z]+' },
      ['ab', 'abc'],
      [
        ['a', 'too_short'],
        ['abcd', 'too_long'],
        ['AB', 'invalid_format'],
        [5, 'invalid_type'],
        ['a\0', 'invalid_characters'],
      ],
    ],
    [{ fieldType: 'long_text' }, ['', 'x'.repeat(20_000)], [['x'.repeat(20_001), 'too_long']]],
    [
      { fieldType: 'integer', min: -5, max: 5 },
      [-5, 0, 5],
      [
        [6, 'out_of_range'],
        [1.5, 'invalid_type'],
        ['1', 'invalid_type'],
      ],
    ],
    [{ fieldType: 'integer' }, [Number.MAX_SAFE_INTEGER], [[2 ** 53, 'out_of_range']]],
    [
      { fieldType: 'number', max: 1.5 },
      [1.5, -0.0001],
      [
        [1.6, 'out_of_range'],
        [0.00001, 'too_many_decimals'],
        [1e-7, 'too_many_decimals'],
      ],
    ],
    [
      { fieldType: 'boolean' },
      [true, false],
      [
        ['true', 'invalid_type'],
        [0, 'invalid_type'],
      ],
    ],
    [
      { fieldType: 'date' },
      ['2026-02-28'],
      [
        ['2026-02-30', 'invalid_date'],
        ['2026-02-28T00:00:00Z', 'invalid_date'],
      ],
    ],
    [{ fieldType: 'datetime' }, ['2026-02-28T00:00:00.000Z'], [['2026-02-28', 'invalid_instant']]],
    [
      { fieldType: 'select', ...choice },
      ['red'],
      [
        ['blue', 'unknown_option'],
        [['red'], 'unknown_option'],
      ],
    ],
    [
      { fieldType: 'multi_select', ...choice },
      [[], ['green', 'red']],
      [
        [['red', 'red'], 'not_unique'],
        [['red', 'blue'], 'unknown_option', '/1'],
        ['red', 'invalid_type'],
      ],
    ],
    [
      { fieldType: 'url' },
      ['https://example.com/a?b'],
      [
        ['ftp://x', 'invalid_url'],
        ['javascript:alert(1)', 'invalid_url'],
        ['http://', 'invalid_url'],
      ],
    ],
    [
      { fieldType: 'email' },
      ['a.b@example.com'],
      [
        ['a@b', 'invalid_email'],
        ['a b@example.com', 'invalid_email'],
      ],
    ],
    [
      { fieldType: 'money', min: 0 },
      [{ amountMinor: 5, currency: 'EUR' }],
      [
        [{ amountMinor: -1, currency: 'EUR' }, 'out_of_range'],
        [{ amountMinor: 1, currency: 'XXQ' }, 'unknown_currency', '/currency'],
        [{ amountMinor: 1 }, 'required', '/currency'],
        [{ amountMinor: 1, currency: 'EUR', x: 1 }, 'unknown_field', '/x'],
        [5, 'invalid_type'],
      ],
    ],
    [
      { fieldType: 'member' },
      [],
      [
        ['Ada', 'invalid_id'],
        [NOBODY, 'unknown_reference'],
      ],
    ],
    [
      { fieldType: 'reference', target: 'sales.deal' },
      [],
      [
        ['x', 'invalid_id'],
        [NOBODY, 'unknown_reference'],
      ],
    ],
  ];
  test.each(cases)('of %j', async (definition, good, bad) => {
    await define(tenant.api, definition);
    for (const x of good)
      expect(await deal(tenant.api, { x })).toMatchObject({ status: 201, body: { customFields: { x } } });
    const { body } = await deal(tenant.api);
    for (const [x, code, at = ''] of bad) {
      const refusal = { status: 400, body: { errors: [{ pointer: `/customFields/x${at}`, code }] } };
      expect(await deal(tenant.api, { x })).toMatchObject(refusal);
      expect(await tenant.api.patch(`${DEALS}/${body.id}`, { customFields: { x } })).toMatchObject(refusal);
    }
  });

  test('reference people and records of the tenant', async () => {
    await define(tenant.api, { key: 'coach', fieldType: 'member' });
    await define(tenant.api, { key: 'follows', fieldType: 'reference', target: 'sales.deal' });
    const ada = await platform.member(tenant, 'Ada');
    const first = (await deal(tenant.api)).body;
    const values = { coach: ada.id, follows: first.id };
    expect(await deal(tenant.api, values)).toMatchObject({ status: 201, body: { customFields: values } });
    const other = await platform.tenant();
    const eve = await platform.member(other, 'Eve');
    const foreign = (await deal(other.api)).body;
    expect(await deal(tenant.api, { coach: eve.id })).toMatchObject({ status: 400 });
    expect(await deal(tenant.api, { follows: foreign.id })).toMatchObject({ status: 400 });
    await tenant.api.delete(`${DEALS}/${first.id}`);
    expect(await deal(tenant.api, { follows: first.id })).toMatchObject({ status: 400 });
  });

  test('instants are normalized', async () => {
    await define(tenant.api, { key: 'at', fieldType: 'datetime' });
    const at = '2026-02-28T02:00:00+02:00';
    expect(await deal(tenant.api, { at })).toMatchObject({
      body: { customFields: { at: '2026-02-28T00:00:00.000Z' } },
    });
    expect(await names(`customFields.at=${encodeURIComponent('2026-02-28T01:00:00+01:00')}`)).toEqual(['Acme']);
  });

  test('all failures are reported at once', async () => {
    await define(tenant.api, { key: 'a', fieldType: 'integer' });
    await define(tenant.api, { key: 'b', fieldType: 'boolean' });
    expect(await deal(tenant.api, { a: 'x', b: 'y', c: 1 })).toMatchObject({
      status: 400,
      body: { errors: ['a', 'b', 'c'].map((key) => ({ pointer: `/customFields/${key}` })) },
    });
  });
});

describe('required fields and defaults', () => {
  test('apply to new records', async () => {
    await define(tenant.api, { key: 'region', required: true });
    await define(tenant.api, { key: 'tier', fieldType: 'integer', defaultValue: 3 });
    const missing = { status: 400, body: { errors: [{ pointer: '/customFields/region', code: 'required' }] } };
    expect(await deal(tenant.api)).toMatchObject(missing);
    expect(await deal(tenant.api, { region: null })).toMatchObject(missing);
    const { body } = await deal(tenant.api, { region: 'EMEA' });
    expect(body.customFields).toEqual({ region: 'EMEA', tier: 3 });
    const path = `${DEALS}/${body.id}`;
    expect(await tenant.api.patch(path, { customFields: { region: null } })).toMatchObject(missing);
    expect(await tenant.api.patch(path, { customFields: { tier: null } })).toMatchObject({
      body: { customFields: { region: 'EMEA' } },
    });
    expect((await deal(tenant.api, { region: 'x', tier: null })).body.customFields).toEqual({ region: 'x' });
  });

  test('do not affect existing records, which can be changed', async () => {
    const { id } = (await deal(tenant.api)).body;
    await define(tenant.api, { key: 'region', required: true });
    expect(await tenant.api.patch(`${DEALS}/${id}`, { name: 'New' })).toMatchObject({
      status: 200,
      body: { customFields: {} },
    });
  });
});

test('a patch only changes the given keys', async () => {
  await define(tenant.api, { key: 'a' });
  await define(tenant.api, { key: 'b' });
  const { id } = (await deal(tenant.api, { a: '1', b: '2' })).body;
  expect(await tenant.api.patch(`${DEALS}/${id}`, { customFields: { b: '3' } })).toMatchObject({
    body: { customFields: { a: '1', b: '3' }, version: 2 },
  });
  expect(await tenant.api.patch(`${DEALS}/${id}`, { customFields: { b: '3' } })).toMatchObject({
    body: { version: 2 },
  });
});

test('an archived field keeps its values and accepts no new ones', async () => {
  const { id: fieldId } = await define(tenant.api, { key: 'a', required: true });
  const { id } = (await deal(tenant.api, { a: '1' })).body;
  await tenant.api.post(`${FIELDS}/${fieldId}/archive`);
  expect(await deal(tenant.api)).toMatchObject({ status: 201 });
  expect(await deal(tenant.api, { a: '2' })).toMatchObject({ status: 400 });
  expect(await tenant.api.patch(`${DEALS}/${id}`, { name: 'New' })).toMatchObject({
    body: { customFields: { a: '1' } },
  });
  expect(await tenant.api.patch(`${DEALS}/${id}`, { customFields: { a: null } })).toMatchObject({
    body: { customFields: {} },
  });
  await tenant.api.post(`${FIELDS}/${fieldId}/unarchive`);
  expect(await deal(tenant.api, { a: '2' })).toMatchObject({ status: 201 });
});

describe('values that a changed definition no longer allows', () => {
  const cases: [kind: string, field: object, values: (string | number | null)[], change: object, other: unknown][] = [
    ['option', { fieldType: 'select', options: ['red', 'blue'] }, ['red'], { options: ['blue'] }, 'green'],
    ['maximum', { fieldType: 'integer' }, [9], { max: 5 }, 8],
    ['pattern', { fieldType: 'text' }, ['a&b'], { pattern: '[A-Z]+' }, 'c'],
    ['length', { fieldType: 'text' }, ['long'], { max: 2 }, 'longer'],
    ['archiving', { fieldType: 'datetime' }, ['2026-02-28T00:00:00.000Z'], { archived: true }, '2026-03-01T00:00:00Z'],
    ['requirement', { fieldType: 'text' }, [null], { required: true }, 1],
  ];

  test.each(cases)('after a new %s stay, can be sent back and are found', async (_kind, field, [x], change, other) => {
    const definition = await define(tenant.api, field);
    const { id } = (await deal(tenant.api, { x })).body;
    const answer =
      'archived' in change
        ? await tenant.api.post(`${FIELDS}/${definition.id}/archive`)
        : await tenant.api.patch(`${FIELDS}/${definition.id}`, change);
    expect(answer.status).toBe(200);
    const path = `${DEALS}/${id}`;
    const kept = x === null ? {} : { x };
    expect(await tenant.api.patch(path, { name: 'New', customFields: { x } })).toMatchObject({
      status: 200,
      body: { name: 'New', customFields: kept },
    });
    expect(await tenant.api.patch(DEALS, { items: [{ id, customFields: { x } }] })).toMatchObject({
      body: { results: [{ ok: true }] },
    });
    expect(await tenant.api.patch(path, { customFields: { x: other } })).toMatchObject({ status: 400 });
    if (x === null) return;
    const filter = { 'customFields.x': `${x}` };
    expect(await names(new URLSearchParams(filter).toString())).toEqual(['New']);
    const view = { name: 'Stored', recordType: 'sales.deal', filter };
    expect(await tenant.api.post('/api/settings/saved-views', view)).toMatchObject({ status: 201 });
    const count = { measures: [{ aggregate: 'count' }], recordType: 'sales.deal', filter };
    expect(await tenant.api.post('/api/reports/query', count)).toMatchObject({
      status: 200,
      body: { rows: [{ values: { count: 1 } }] },
    });
  });

  test('stay in a list that loses or gains others', async () => {
    const { id: fieldId } = await define(tenant.api, { fieldType: 'multi_select', options: ['red', 'blue', 'green'] });
    const { id } = (await deal(tenant.api, { x: ['red', 'blue'] })).body;
    await tenant.api.patch(`${FIELDS}/${fieldId}`, { options: ['blue', 'green'] });
    const path = `${DEALS}/${id}`;
    for (const x of [['red', 'blue', 'green'], ['red', 'green'], ['green']])
      expect(await tenant.api.patch(path, { customFields: { x } })).toMatchObject({
        status: 200,
        body: { customFields: { x } },
      });
    expect(await tenant.api.patch(path, { customFields: { x: ['green', 'red'] } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/customFields/x/1', code: 'unknown_option' }] },
    });
  });

  test('may name a person who has left and a record in the trash', async () => {
    await define(tenant.api, { key: 'coach', fieldType: 'member' });
    await define(tenant.api, { key: 'follows', fieldType: 'reference', target: 'sales.deal' });
    const ada = await platform.member(tenant, 'Ada');
    const first = (await deal(tenant.api)).body;
    const customFields = { coach: ada.id, follows: first.id };
    const { id } = (await deal(tenant.api, customFields)).body;
    await tenant.api.delete(`${DEALS}/${first.id}`);
    await asAdmin(
      platform.database,
      `update data.memberships set status = 'deactivated', version = version + 1 where id = $1`,
      [ada.id],
    );
    expect(await tenant.api.patch(`${DEALS}/${id}`, { customFields })).toMatchObject({
      status: 200,
      body: { customFields },
    });
  });
});

test('filters work by type and refuse invalid values', async () => {
  await define(tenant.api, { key: 'n', fieldType: 'number' });
  await define(tenant.api, { key: 'colours', fieldType: 'multi_select', options: ['red', 'green'] });
  await define(tenant.api, { key: 'big', fieldType: 'boolean' });
  await define(tenant.api, { key: 'story', fieldType: 'long_text' });
  await deal(tenant.api, { n: 1.5, colours: ['red', 'green'], big: true });
  await deal(tenant.api, { n: 2, big: false });
  expect(await names('customFields.n=1.50')).toHaveLength(1);
  expect(await names('customFields.colours=green')).toHaveLength(1);
  expect(await names('customFields.big=false&customFields.n=2')).toHaveLength(1);
  expect(await names('customFields.colours=blue')).toEqual([]); // perhaps an option of earlier
  for (const [filter, code] of [
    ['customFields.nope=1', 'unknown_parameter'],
    ['customFields.story=1', 'unknown_parameter'],
    ['customFields.n=abc', 'invalid_type'],
    ['customFields.big=yes', 'invalid_type'],
  ])
    expect(await names(filter!)).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: filter!.split('=')[0], code }] },
    });
});

test('definitions take effect with the next request in every process, even for a pending write', async () => {
  const other = await startPlatform({ shared: platform.database });
  try {
    const elsewhere = { 'x-api-key': tenant.apiKey, 'content-type': 'application/json' };
    const create = (customFields?: object) =>
      fetch(`${other.url}${DEALS}`, {
        method: 'POST',
        headers: elsewhere,
        body: JSON.stringify({ name: 'A', customFields }),
      });
    expect((await create()).status).toBe(201);
    await define(tenant.api, { key: 'region', required: true });
    expect((await create()).status).toBe(400);
    expect((await create({ region: 'EMEA' })).status).toBe(201);
  } finally {
    await other.close();
  }
});
