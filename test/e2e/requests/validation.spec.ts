import type { Answer } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { sendRaw } from './wire.js';
import { type Traces, tracesOf } from './traces.js';

const DEALS = '/api/v1/sales/deals';
const PIPELINES = '/api/v1/sales/pipelines';
const MAX = Number.MAX_SAFE_INTEGER;
/** Fields of a new deal that are strings. */
const STRINGS = [
  'name',
  'nextStep',
  'stage',
  'currency',
  'pipelineId',
  'dealType',
  'source',
  'forecastCategory',
  'expectedCloseDate',
  'renewalOfDealId',
  'nextStepDate',
];

let platform: TestPlatform;
let tenant: TestTenant;
let dealPath: string;
let before: Traces;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  dealPath = `${DEALS}/${String((await tenant.api.post(DEALS, { name: 'existing' })).body['id'])}`;
  before = await tracesOf(platform, tenant);
});
afterAll(async () => {
  // No other request in this file was accepted.
  expect(await tracesOf(platform, tenant)).toEqual(before);
  await platform.close();
});

interface Failure {
  pointer?: string;
  parameter?: string;
  code: string;
  detail: string;
}

function failuresOf(answer: Answer): Failure[] {
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', status: 400 });
  return answer.body['errors'] as Failure[];
}

const places = (failures: Failure[]) => failures.map(({ pointer, code }) => `${pointer} ${code}`).sort();
const create = (body: unknown) => tenant.api.post(DEALS, body);
const stage = (key: string, category: string, probability: number) => ({
  key,
  name: key,
  category,
  probability,
  forecastCategory: 'pipeline',
});

describe('a validation problem', () => {
  it('lists every failure with its location', async () => {
    const failures = failuresOf(
      await create({
        value: -1,
        currency: 'usd',
        probability: 101,
        dealType: 'other',
        expectedCloseDate: '2026-02-30',
        recurring: { intervalMonths: 0, amountMinor: '5', startDate: null, extra: true },
        nextStep: 'x'.repeat(501),
        status: 'won',
        unknown: 1,
      }),
    );
    expect(places(failures)).toEqual([
      '/currency unknown_currency',
      '/dealType invalid_value',
      '/expectedCloseDate invalid_date',
      '/name required',
      '/nextStep too_long',
      '/probability out_of_range',
      '/recurring/amountMinor invalid_type',
      '/recurring/extra unknown_field',
      '/recurring/intervalMonths out_of_range',
      '/recurring/startDate not_nullable',
      '/recurring/termMonths required',
      '/status unknown_field',
      '/unknown unknown_field',
      '/value out_of_range',
    ]);
    for (const { detail } of failures) expect(detail).toMatch(/^[A-Z].*\.$/);
  });

  it('points into lists', async () => {
    const stages = [
      stage('a', 'open', 10),
      { ...stage('b', 'won', 100), key: 'B b' },
      { ...stage('c', 'lost', 0), name: 7 },
    ];
    const failures = failuresOf(await tenant.api.post(PIPELINES, { name: 'x', stages }));
    expect(places(failures)).toEqual(['/stages/1/key invalid_format', '/stages/2/name invalid_type']);
  });

  it('escapes member names in pointers', async () => {
    const failures = failuresOf(await create({ name: 'x', 'a/b~c': 1, '': 2 }));
    expect(places(failures)).toEqual(['/ unknown_field', '/a~1b~0c unknown_field']);
  });

  it('lists body and query together', async () => {
    const answer = await tenant.api.post(`${DEALS}?dryRun=true&dryRun=false`, { name: '' });
    expect(failuresOf(answer)).toMatchObject([
      { parameter: 'dryRun', code: 'unknown_parameter' },
      { pointer: '/name', code: 'too_short' },
    ]);
  });

  it('stops at 50 failures', async () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m${i}`, i]));
    expect(failuresOf(await create(body))).toHaveLength(50);
  });

  it('does not repeat long values or names', async () => {
    const answer = await create({ ['n'.repeat(100_000)]: 1, currency: 'C'.repeat(100_000) });
    expect(failuresOf(answer)).toHaveLength(3);
    expect(answer.text.length).toBeLessThan(2_000);
  });
});

describe('text that PostgreSQL cannot store is refused in every string', () => {
  const evil = [
    ['NUL', 'a\\u0000b'],
    ['a lone high surrogate', '\\ud800'],
    ['a lone low surrogate', 'x\\udc00y'],
    ['swapped surrogates', '\\udc00\\ud800'],
  ] as const;

  it.each(evil)('%s in every field of a new deal', async (_, text) => {
    for (const field of STRINGS) {
      const name = field === 'name' ? '' : '"name":"x",';
      const answer = await tenant.api.send('POST', DEALS, `{${name}"${field}":"${text}"}`);
      expect(failuresOf(answer).map(({ pointer }) => pointer)).toEqual([`/${field}`]);
    }
  });

  it.each(evil)('%s in the texts of actions', async (_, text) => {
    for (const [action, body, field] of [
      ['move', `{"stage":"${text}"}`, 'stage'],
      ['lose', `{"lostReason":"price","lostNotes":"${text}"}`, 'lostNotes'],
      ['lose', `{"lostReason":"price","competitor":"${text}"}`, 'competitor'],
      ['reopen', `{"reason":"${text}"}`, 'reason'],
    ] as const) {
      const answer = await tenant.api.send('POST', `${dealPath}/${action}`, body);
      expect(failuresOf(answer)).toMatchObject([{ pointer: `/${field}`, code: 'invalid_characters' }]);
    }
  });

  it.each(evil)('%s in patches, one by one and in items', async (_, text) => {
    expect(failuresOf(await tenant.api.send('PATCH', dealPath, `{"nextStep":"${text}"}`))).toMatchObject([
      { pointer: '/nextStep' },
    ]);
    const items = `{"items":[{"id":"${dealPath.split('/').at(-1)}","name":"${text}"}]}`;
    expect(failuresOf(await tenant.api.send('PATCH', DEALS, items))).toMatchObject([{ pointer: '/items/0/name' }]);
  });

  it.each(evil)('%s in names of members', async (_, text) => {
    const answer = await tenant.api.send('POST', DEALS, `{"name":"x","${text}":1}`);
    expect(failuresOf(answer)).toMatchObject([{ code: 'unknown_field' }]);
    expect(answer.text.isWellFormed()).toBe(true);
  });

  it('NUL in query parameters', async () => {
    for (const query of ['name=a%00b', 'q=%00', 'name[contains]=%00', 'reference[in]=a,%00', 'cursor=%00', 'a%00b=1'])
      expect(failuresOf(await tenant.api.get(`${DEALS}?${query}`))).toHaveLength(1);
  });

  it('but any other Unicode text is returned unchanged', async () => {
    const other = await platform.tenant();
    for (const name of ['Ünïcödé ✓ 漢字', '👩‍👩‍👧‍👦 \u{10FFFF}', "'; drop table x; --", '\\u0000']) {
      const answer = await other.api.post(DEALS, { name, nextStep: name });
      expect(answer.body).toMatchObject({ name, nextStep: name });
      expect((await other.api.get(`${DEALS}/${String(answer.body['id'])}`)).body).toMatchObject({
        name,
        nextStep: name,
      });
    }
  });
});

describe('lengths are counted in characters, not in UTF-16 units', () => {
  it('200 emoji fit a name and 201 do not', async () => {
    const other = await platform.tenant();
    expect((await other.api.post(DEALS, { name: '😀'.repeat(200) })).status).toBe(201);
    expect(failuresOf(await create({ name: '😀'.repeat(201) }))).toMatchObject([{ code: 'too_long' }]);
  });

  it.each(['', ' ', '\t\n', '\u00a0', '\u3000'])('a name of %j is refused', async (name) => {
    expect(failuresOf(await create({ name }))[0]).toMatchObject({ pointer: '/name' });
  });
});

describe('numbers', () => {
  it.each<[string, unknown, string]>([
    ['value', -0.01, 'out_of_range'],
    ['value', MAX + 1, 'out_of_range'],
    ['value', 1e300, 'out_of_range'],
    ['value', 0.001, 'out_of_range'],
    ['value', '25000', 'invalid_type'],
    ['value', true, 'invalid_type'],
    ['valueMinor', -1, 'out_of_range'],
    ['valueMinor', 1.5, 'invalid_type'],
    ['valueMinor', MAX + 1, 'out_of_range'],
    ['valueMinor', [], 'invalid_type'],
    ['probability', -1, 'out_of_range'],
    ['probability', 101, 'out_of_range'],
    ['probability', 50.5, 'invalid_type'],
    ['probability', null, 'not_nullable'],
    ['probability', { toString: 1 }, 'invalid_type'],
  ])('%s of %j is %s', async (field, value, code) => {
    expect(failuresOf(await create({ name: 'x', [field]: value }))).toMatchObject([{ pointer: `/${field}`, code }]);
  });

  it('beyond double precision are out of range, not infinite', async () => {
    const answer = await tenant.api.send('POST', DEALS, '{"name":"x","value":1e999}');
    expect(failuresOf(answer)).toMatchObject([{ pointer: '/value' }]);
    const huge = await tenant.api.send('POST', DEALS, '{"name":"x","valueMinor":9007199254740992123}');
    expect(failuresOf(huge)).toMatchObject([{ pointer: '/valueMinor', code: 'out_of_range' }]);
  });
});

describe('types', () => {
  it.each<[string, unknown[]]>([
    ['name', [null, 1, true, [], {}, ['x']]],
    ['currency', [null, 1, '', 'us', 'USDX', 'ABC', ['USD']]],
    ['pipelineId', [null, 1, '', 'x', '019AA5F4-9A52-7C31-8C1E-0C9A4A3F1B20']],
    ['stage', [null, 1, '', 'x'.repeat(41)]],
    ['dealType', [null, 1, '', 'NEW_BUSINESS', 'toString']],
    ['source', [null, 'nowhere', ['other']]],
    ['forecastCategory', [null, 'best case']],
    [
      'expectedCloseDate',
      [
        1,
        '',
        '2026-13-01',
        '2025-02-29',
        '26-01-01',
        '2026-1-1',
        '2026-01-01T00:00:00Z',
        '1899-12-31',
        '+012026-01-01',
      ],
    ],
    ['nextStepDate', [20260101, 'tomorrow']],
    ['recurring', [1, '', [], 'monthly', [{}]]],
    ['renewalOfDealId', [1, '', 'null']],
    ['nextStep', [1, {}, ['call']]],
  ])('%s refuses other types', async (field, values) => {
    for (const value of values) {
      const failures = failuresOf(await create({ name: 'x', [field]: value }));
      for (const { pointer } of failures) expect(pointer).toMatch(new RegExp(`^/${field}`));
    }
  });

  it('null is refused for required fields and accepted for optional ones', async () => {
    const nullable = {
      value: null,
      valueMinor: null,
      expectedCloseDate: null,
      recurring: null,
      renewalOfDealId: null,
      nextStep: null,
      nextStepDate: null,
    };
    const other = await platform.tenant();
    expect((await other.api.post(DEALS, { name: 'x', ...nullable })).status).toBe(201);
    const fixed = ['currency', 'pipelineId', 'stage', 'probability', 'forecastCategory', 'dealType', 'source'];
    const body = Object.fromEntries(fixed.map((field) => [field, null]));
    expect(places(failuresOf(await create({ name: null, ...body })))).toEqual(
      [...fixed, 'name'].sort().map((field) => `/${field} not_nullable`),
    );
  });

  it('read-only fields cannot be sent', async () => {
    for (const field of [
      'id',
      'object',
      'reference',
      'version',
      'createdAt',
      'updatedAt',
      'createdBy',
      'archivedAt',
      'deletedAt',
      'allowedActions',
      'closedAt',
      'stageEnteredAt',
      'weightedValueMinor',
      'isStale',
      'tenantId',
    ])
      expect(failuresOf(await create({ name: 'x', [field]: null }))).toMatchObject([
        { pointer: `/${field}`, code: 'unknown_field' },
      ]);
  });

  it('names of object prototypes are unknown fields', async () => {
    const failures = failuresOf(
      await tenant.api.send('POST', DEALS, '{"name":"x","constructor":{},"toString":1,"hasOwnProperty":2}'),
    );
    expect(places(failures)).toEqual([
      '/constructor unknown_field',
      '/hasOwnProperty unknown_field',
      '/toString unknown_field',
    ]);
  });
});

describe('instants', () => {
  it.each([
    '2026-11-21',
    '2026-11-21 10:00:00Z',
    '2026-11-21T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-21T24:00:01Z',
    '1969-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    'now',
    '',
    0,
    null,
  ])('%j is refused', async (closedAt) => {
    expect(failuresOf(await tenant.api.post(`${dealPath}/win`, { closedAt }))).toMatchObject([
      { pointer: '/closedAt' },
    ]);
  });
});

describe('query parameters', () => {
  it.each([
    ['page=2', 'unknown_parameter'],
    ['Limit=5', 'unknown_parameter'],
    ['status[eq]=open', 'unknown_parameter'],
    ['status[gt]=open', 'unknown_parameter'],
    ['status[]=open', 'unknown_parameter'],
    ['__proto__=x', 'unknown_parameter'],
    ['constructor[prototype]=x', 'unknown_parameter'],
    ['tenantId=x', 'unknown_parameter'],
    ['limit=5&limit=6', 'repeated_parameter'],
    ['status=open&status=won', 'repeated_parameter'],
    ['limit=0', 'out_of_range'],
    ['limit=201', 'out_of_range'],
    ['limit=-1', 'out_of_range'],
    ['limit=1.5', 'invalid_type'],
    ['limit=', 'invalid_type'],
    ['limit=ten', 'invalid_type'],
    ['limit=1e2', 'invalid_type'],
    ['limit=0x10', 'invalid_type'],
    ['limit=99999999999999999999', 'invalid_type'],
    ['includeDeleted=yes', 'invalid_type'],
    ['includeDeleted=', 'invalid_type'],
    ['status=OPEN', 'invalid_value'],
    ['status=', 'invalid_value'],
    ['status[in]=open,', 'invalid_value'],
    ['status[in]=', 'invalid_value'],
    ['name[in]="a', 'invalid_format'],
    ['name[in]=b,"a"c', 'invalid_format'],
    ['status[in]=open&status[in]="won', 'invalid_format'],
    ['sort="name', 'invalid_format'],
    ['q=%FF', 'invalid_characters'],
    ['q=%C3%28', 'invalid_characters'],
    ['q=%ED%A0%80', 'invalid_characters'],
    ['q=100%', 'invalid_characters'],
    ['cursor=%', 'invalid_characters'],
    ['name[in]=a,%E4', 'invalid_characters'],
    ['unknown=%FF', 'invalid_characters'],
    ['customFields.size=%FF', 'invalid_characters'],
    ['pipelineId=x', 'invalid_id'],
    ['ids=x', 'invalid_id'],
    ['createdAt[gt]=yesterday', 'invalid_instant'],
    ['expectedCloseDate=2026-02-30', 'invalid_date'],
    ['currency=EURO', 'unknown_currency'],
    ['valueMinor[isNull]=1', 'invalid_type'],
    ['valueMinor[gt]=abc', 'invalid_type'],
    ['sort=', 'invalid_value'],
    ['sort=foo', 'invalid_value'],
    ['sort=--name', 'invalid_value'],
    ['sort=name,name,name,name', 'too_many'],
    ['sort=name;drop table', 'invalid_value'],
    ['q=', 'too_short'],
    [`q=${'x'.repeat(201)}`, 'too_long'],
    ['name[contains]=', 'too_short'],
  ])('%s is %s', async (query, code) => {
    const failures = failuresOf(await tenant.api.get(`${DEALS}?${query}`));
    expect(failures.map((failure) => failure.code)).toContain(code);
    const parameter = decodeURIComponent(query.split('=')[0]!);
    expect(failures[0]).toMatchObject({ parameter });
  });

  it('are all reported at once', async () => {
    const failures = failuresOf(await tenant.api.get(`${DEALS}?limit=0&foo=1&status=x&sort=y`));
    expect(failures.map(({ parameter }) => parameter).sort()).toEqual(['foo', 'limit', 'sort', 'status']);
  });

  it('are UTF-8 in percent-encoding, in names and on every path', async () => {
    const faulty = (parameter: string) => [{ parameter, code: 'invalid_characters' }];
    expect(failuresOf(await tenant.api.get(`${DEALS}?limit=1&a%FFb=1`))).toMatchObject(faulty('a%FFb'));
    for (const path of [dealPath, '/health/live', '/api/auth/oauth/authorize', '/api/auth/callback'])
      expect(failuresOf(await tenant.api.get(`${path}?x=1&state=%FF`))).toMatchObject(faulty('state'));
    const raw = await sendRaw(platform.url, [`GET ${DEALS}?q=\xff HTTP/1.1`, `x-api-key: ${tenant.apiKey}`]);
    expect(raw.status).toBe(400);
  });

  it('allow at most 100 values in a list', async () => {
    const ids = Array.from({ length: 101 }, (_, i) => `019aa5f4-9a52-7c31-8c1e-0c9a4a3f${1000 + i}`);
    expect(failuresOf(await tenant.api.get(`${DEALS}?ids=${ids.join(',')}`))).toMatchObject([
      { parameter: 'ids', code: 'too_many' },
    ]);
    expect((await tenant.api.get(`${DEALS}?ids=${ids.slice(1).join(',')}`)).status).toBe(200);
  });

  it('are refused if an operation has none', async () => {
    for (const path of [dealPath, '/health/live', '/health/ready'])
      expect(failuresOf(await tenant.api.get(`${path}?x=1`))).toMatchObject([
        { parameter: 'x', code: 'unknown_parameter' },
      ]);
    expect(failuresOf(await tenant.api.delete(`${dealPath}?force=true`))).toHaveLength(1);
  });
});
