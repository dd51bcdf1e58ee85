import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal } from './deal-calls.js';

const MAX = Number.MAX_SAFE_INTEGER;

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const create = (body: object) => tenant.api.post(DEALS, { name: 'x', ...body });
/** `number` is sent as written, which JSON.stringify would not do. */
const createWith = (number: string, currency: string) =>
  tenant.api.post(DEALS, `{"name":"x","currency":"${currency}","value":${number}}`);

it.each([
  ['USD', '25000', 2_500_000],
  ['USD', '0.07', 7],
  ['USD', '0.29', 29],
  ['USD', '1.1', 110],
  ['USD', '4.35', 435],
  ['USD', '1.10', 110],
  ['USD', '1e3', 100_000],
  ['USD', '12345e-2', 12_345],
  ['USD', '0', 0],
  ['USD', '-0', 0],
  ['USD', '1.005e1', 1_005],
  ['EUR', '1234567890123.45', 123_456_789_012_345],
  ['JPY', '500', 500],
  ['JPY', '500.0', 500],
  ['KWD', '1.234', 1_234],
  ['KWD', '0.001', 1],
  ['KWD', '7', 7_000],
  ['CLF', '0.0001', 1],
])('%s %s is exactly %d minor units', async (currency, number, valueMinor) => {
  const made = await createWith(number, currency);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ currency, valueMinor, value: Math.abs(Number(number)) });
  const [row] = await asAdmin<{ minor: string }>(
    platform.database,
    'select value_minor::text as minor from data.sales_deals where id = $1',
    [made.body['id']],
  );
  expect(row!.minor).toBe(String(valueMinor));
});

it.each([
  ['USD', '0.001'],
  ['USD', '25000.005'],
  ['USD', '1e-3'],
  ['JPY', '1.5'],
  ['JPY', '0.1'],
  ['KWD', '1.2345'],
  ['USD', '90071992547409.92'],
  ['USD', '9007199254740991'],
  ['KWD', '9007199254740.992'],
  ['JPY', '9007199254740992'],
  ['USD', '-0.01'],
  ['USD', '1e300'],
])('%s %s has too many decimals or leaves the exact range', async (currency, number) => {
  const refused = await createWith(number, currency);
  expect([refused.status, refused.body['code']]).toEqual([400, 'validation_failed']);
  expect(refused.body['errors']).toMatchObject([{ pointer: '/value', code: 'out_of_range' }]);
});

it('stores the largest amount exactly in every field', async () => {
  for (const body of [{ valueMinor: MAX }, { valueMinor: MAX, currency: 'JPY' }]) {
    const made = await create({ ...body, probability: 100 });
    expect(made.text).toContain('"valueMinor":9007199254740991,');
    expect(made.text).toContain('"weightedValueMinor":9007199254740991');
    const read = await tenant.api.get(`${DEALS}/${String(made.body['id'])}`);
    expect(read.text).toContain('"valueMinor":9007199254740991,');
    const { value, valueMinor, currency } = read.body;
    const again = await create({ value, valueMinor, currency });
    expect(again.body).toMatchObject({ value, valueMinor, currency });
    expect((await tenant.api.delete(`${DEALS}/${String(again.body['id'])}`)).status).toBe(200);
    const [row] = await asAdmin<{ envelope: string }>(
      platform.database,
      'select envelope from data.events where subject_id = $1',
      [made.body['id']],
    );
    expect(row!.envelope).toContain('"valueMinor":9007199254740991,');
  }
  const listed = await tenant.api.get<{ data: object[] }>(`${DEALS}?valueMinor[gt]=9007199254740990`);
  expect(listed.body.data).toHaveLength(2);
  expect((await create({ valueMinor: MAX + 1 })).status).toBe(400);
});

it('must match in both forms, otherwise it is rejected with amount_mismatch', async () => {
  expect((await create({ value: 12.34, valueMinor: 1234 })).body).toMatchObject({ value: 12.34, valueMinor: 1234 });
  expect((await create({ value: 12, valueMinor: 12, currency: 'JPY' })).status).toBe(201);
  const { id } = await makeDeal(tenant.api, { value: 5 });
  for (const body of [
    { value: 12.34, valueMinor: 1235 },
    { value: 12, valueMinor: 12 },
    { value: null, valueMinor: 0 },
    { value: 0, valueMinor: null },
  ])
    for (const refused of [await create(body), await tenant.api.patch(`${DEALS}/${id}`, body)])
      expect([body, refused.status, refused.body['code']]).toEqual([body, 400, 'amount_mismatch']);
  expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ valueMinor: 500, version: 1 });
});

it('is null when omitted, accepts zero, and is cleared by null in either form', async () => {
  const empty = { value: null, valueMinor: null, weightedValueMinor: null };
  expect(await makeDeal(tenant.api)).toMatchObject(empty);
  expect(await makeDeal(tenant.api, { value: 0 })).toMatchObject({ value: 0, valueMinor: 0, weightedValueMinor: 0 });
  for (const patch of [{ value: null }, { valueMinor: null }, { value: null, valueMinor: null }]) {
    const { id } = await makeDeal(tenant.api, { value: 5 });
    expect((await tenant.api.patch(`${DEALS}/${id}`, { nextStep: 'x' })).body).toMatchObject({ valueMinor: 500 });
    expect((await tenant.api.patch(`${DEALS}/${id}`, patch)).body).toMatchObject({ ...empty, version: 3 });
  }
});

it.each([
  [1, 50, 1],
  [1, 49, 0],
  [3, 50, 2],
  [99, 1, 1],
  [49, 1, 0],
  [50, 1, 1],
  [149, 33, 49],
  [150, 33, 50],
  [MAX, 0, 0],
  [MAX, 1, 90_071_992_547_410],
  [MAX, 50, 4_503_599_627_370_496],
  [MAX, 99, 8_917_127_262_193_581],
  [MAX - 1, 100, MAX - 1],
])('weights %d at %d %% as %d, rounded half up', async (valueMinor, probability, weightedValueMinor) => {
  expect(await makeDeal(tenant.api, { valueMinor, probability })).toMatchObject({ weightedValueMinor });
});

it('defaults to the currency of the tenant', async () => {
  const own = await platform.tenant();
  expect(await makeDeal(own.api, { value: 1.5 })).toMatchObject({ currency: 'USD', valueMinor: 150 });
  await asAdmin(platform.database, `update directory.tenants set currency = 'KWD' where id = $1`, [own.id]);
  expect(await makeDeal(own.api, { value: 1.5 })).toMatchObject({ currency: 'KWD', valueMinor: 1500 });
  expect(await makeDeal(own.api, { value: 1.5, currency: 'EUR' })).toMatchObject({ currency: 'EUR', valueMinor: 150 });
});

it.each(['XXX', 'usd', 'US', 'DEM', 'USDT', ''])('rejects the currency %j', async (currency) => {
  const refused = await create({ currency });
  expect(refused.status).toBe(400);
  expect(refused.body['errors']).toMatchObject([{ pointer: '/currency', code: 'unknown_currency' }]);
});

it('uses the decimals of the currency set in the same PATCH', async () => {
  const { id } = await makeDeal(tenant.api, { value: 5 });
  const patch = (body: object) => tenant.api.patch(`${DEALS}/${id}`, body);
  expect((await patch({ currency: 'JPY', value: 1.5 })).status).toBe(400);
  expect((await patch({ currency: 'KWD', value: 1.505 })).body).toMatchObject({ currency: 'KWD', valueMinor: 1505 });
  expect((await patch({ value: 1.5055 })).status).toBe(400);
  expect((await patch({ value: 2.001 })).body).toMatchObject({ valueMinor: 2001 });
});

it('does not take its parts into another currency', async () => {
  const recurring = { intervalMonths: 12, amountMinor: 100, termMonths: 24, startDate: '2027-01-01' };
  const lineItems = [{ description: 'Work', quantity: 1, unitPriceMinor: 10_000 }];
  const { id } = await makeDeal(tenant.api, { currency: 'EUR', recurring, lineItems });
  const patch = (body: object) => tenant.api.patch(`${DEALS}/${id}`, body);
  const errors = async (body: object) => {
    const { status, body: problem } = await patch(body);
    return [status, (problem['errors'] as { pointer: string; code: string }[]).map((each) => Object.values(each)[0])];
  };
  expect(await errors({ currency: 'JPY' })).toEqual([400, ['/lineItems', '/recurring']]);
  expect(await errors({ currency: 'JPY', recurring, lineItems: [] })).toEqual([400, ['/valueMinor']]);
  expect((await patch({ currency: 'EUR' })).status).toBe(200);
  expect((await patch({ currency: 'JPY', recurring: null, lineItems })).body).toMatchObject({
    currency: 'JPY',
    value: 10_000,
    recurring: null,
  });
});
