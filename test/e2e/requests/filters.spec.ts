import { deals as definition, type ShownDeal } from '#src/areas/sales/deals/deal.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { CUSTOM_FIELD_FILTER, type Filter, type FilterOperator } from '#libs/resource/lists/list-query.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, makePipeline } from '../sales/deal-calls.js';

const FILTERS = definition.list.filters;
const UNKNOWN_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
const NAMES = ['Acme', 'acme 50%', 'ACME_x', 'Müller', 'MÜLLER & Co', '100%', 'a_b', 'aXb', "o'neil", '\\back', 'x,y'];

let platform: TestPlatform;
let tenant: TestTenant;
let deals: ShownDeal[];
beforeAll(async () => {
  platform = await startPlatform();
  tenant = await platform.tenant();
  deals = await variedDeals();
});
afterAll(() => platform.close());

type Value = string | number | boolean | null | readonly string[];

/** Forty deals in which every field has several values, some repeated and some empty. */
async function variedDeals(): Promise<ShownDeal[]> {
  const { api } = tenant;
  const { id: pipelineId } = await makePipeline(api);
  const first = await makeDeal(api, { name: 'first' });
  const owners = [(await platform.member(tenant, 'Ada')).id, null, (await platform.member(tenant, 'Bo')).id];
  const workspaces = [await workspace('North'), await workspace('South'), null];
  const accounts = await Promise.all(['Globex', 'Initech'].map((name) => made('accounts', { name })));
  const contacts = await Promise.all(
    accounts.map((accountId, i) => made('contacts', { name: `Contact ${i}`, accountId })),
  );
  const pick = <T>(values: readonly T[], i: number) => values[i % values.length]!;
  await Promise.all(
    Array.from({ length: 39 }, async (_, i) => {
      const { id } = await makeDeal(api, {
        name: pick(NAMES, i),
        valueMinor: pick([null, 0, 100, 2_500_000, Number.MAX_SAFE_INTEGER, 100, 77], i),
        currency: pick(['USD', 'EUR', 'JPY'], i),
        stage: pick(['qualification', 'demo', 'proposal', 'commit'], i),
        dealType: pick(['new_business', 'expansion', 'renewal'], i),
        source: pick(['inbound', 'partner', 'other'], i),
        expectedCloseDate: pick([null, '2026-12-18', '2027-01-01', '2020-02-29'], i),
        nextStepDate: pick(['2026-11-21', null, '2026-11-22'], i),
        ownerId: pick(owners, i),
        workspaceId: pick(workspaces, i),
        tags: pick([[], ['key'], ['key', 'Renewal'], ['other']], i),
        ...(i % 9 === 0 ? { externalRefs: [{ system: 'crm', id: String(i) }] } : {}),
        ...(i % 2 === 0 ? { accountId: pick(accounts, i / 2) } : {}),
        ...(i % 4 === 0 ? { primaryContactId: pick(contacts, i / 2) } : {}),
        ...(i % 5 === 0 ? { pipelineId } : {}),
        ...(i % 4 === 0 ? { renewalOfDealId: first.id } : {}),
        ...(i % 6 === 0 ? { probability: i } : {}),
      });
      const closedAt = pick(['2026-01-02T03:04:05.678Z', '2025-06-01T00:00:00.000Z'], i);
      if (i % 7 === 1) await act(api, id, 'win', { closedAt });
      if (i % 7 === 3) await act(api, id, 'lose', { closedAt, lostReason: pick(['price', 'fit'], i) });
    }),
  );
  return listed('limit=200');
}

async function made(collection: string, body: object): Promise<string> {
  const answer = await tenant.api.post<{ id: string }>(`/api/v1/sales/${collection}`, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

async function workspace(name: string): Promise<string> {
  const id = uuidv7();
  await asAdmin(platform.database, `insert into data.workspaces values ($1, $2, $3, now())`, [tenant.id, id, name]);
  return id;
}

async function listed(query: string): Promise<ShownDeal[]> {
  const answer = await tenant.api.get<{ data: ShownDeal[] }>(`${DEALS}?${query}`);
  if (answer.status !== 200) throw new Error(`${query}: ${answer.text}`);
  return answer.body.data;
}

const idsOf = (rows: ShownDeal[]) => rows.map(({ id }) => id).sort();
/** The value that a filter compares; usually a field of the view, except these. */
function valueOf(deal: ShownDeal, field: string): Value {
  if (field === 'ids') return deal.id;
  if (field === 'tag') return deal.tags.map((tag) => tag.toLowerCase());
  if (field === 'externalRef') return deal.externalRefs.map(({ system, id }) => `${system}:${id}`);
  return (deal as unknown as Record<string, Value>)[field]!; // filterable fields have such values
}

/** Evaluates a filter on a row as documented: only `ne` and `isNull` match an empty field. */
function matches(value: Value, operator: FilterOperator, operand: Value | Value[]): boolean {
  if (operator === 'isNull') return (value === null) === operand;
  if (Array.isArray(value)) {
    const has = [operand].flat().some((each) => (value as Value[]).includes(each));
    return operator === 'ne' ? !has : has;
  }
  if (operator === 'ne') return value !== operand;
  if (value === null) return false;
  if (operator === 'eq') return value === operand;
  if (operator === 'in') return (operand as Value[]).includes(value);
  if (operator === 'contains') return String(value).toLowerCase().includes(String(operand).toLowerCase());
  const [a, b] = [value, operand as string | number];
  return { gt: a > b, gte: a >= b, lt: a < b, lte: a <= b }[operator as 'gt' | 'gte' | 'lt' | 'lte'];
}

/** Test values for each operator of a field: existing ones and one that does not occur. */
function operandsOf(field: string, operator: FilterOperator): (Value | Value[])[] {
  const values = [...new Set(deals.flatMap((deal) => valueOf(deal, field)))].filter((value) => value !== null).sort();
  const some = [values[0]!, values[Math.floor(values.length / 2)]!, values.at(-1)!];
  if (operator === 'isNull') return [true, false];
  if (operator === 'in') return [[some[0]!], some];
  if (operator === 'contains') return ['acme', 'ACME', '%', '_', 'ü', 'Ü', "'", '\\', ',', 'e_', 'zzz', 'a'];
  return some;
}

function parameter(field: string, { plain = 'eq' }: Filter, operator: FilterOperator): string {
  return encodeURIComponent(operator === plain ? field : `${field}[${operator}]`);
}

const cases = Object.entries(FILTERS)
  .filter(([field]) => field !== CUSTOM_FIELD_FILTER) // see test/e2e/custom-fields
  .flatMap(([field, filter]) => filter.operators.map((operator) => [field, operator, filter] as const));

it('covers every documented filterable field', () => {
  for (const field of ['stage', 'status', 'pipelineId', 'currency', 'valueMinor', 'probability', 'forecastCategory'])
    expect(FILTERS).toHaveProperty(field);
  for (const field of ['dealType', 'source', 'expectedCloseDate', 'closedAt', 'lostReason', 'isStale', 'ids'])
    expect(FILTERS).toHaveProperty(field);
  expect(FILTERS['name']!.operators).toContain('contains');
});

it.each(cases)('%s [%s] matches as documented', async (field, operator, filter) => {
  let hits = 0;
  for (const operand of operandsOf(field, operator)) {
    const query = `limit=200&${parameter(field, filter, operator)}=${encodeURIComponent(String(operand))}`;
    const expected = deals.filter((deal) => matches(valueOf(deal, field), operator, operand));
    // A comma separates the values of [in], so names with commas cannot be used.
    if (operator === 'in' && String(operand).split(',').length !== (operand as Value[]).length) continue;
    expect([query, idsOf(await listed(query))]).toEqual([query, idsOf(expected)]);
    hits += expected.length;
  }
  expect(hits).toBeGreaterThan(0);
});

it('a parameter that is a placeholder for others is not accepted itself', async () => {
  const answer = await tenant.api.get(`${DEALS}?${encodeURIComponent(CUSTOM_FIELD_FILTER)}=x`);
  expect(answer).toMatchObject({ status: 400, body: { errors: [{ code: 'unknown_parameter' }] } });
});

it('[ne] includes empty values', async () => {
  const found = await listed('limit=200&valueMinor[ne]=100&lostReason[ne]=price');
  expect(found.some(({ valueMinor, lostReason }) => valueMinor === null && lostReason === null)).toBe(true);
  expect(found.every(({ valueMinor, lostReason }) => valueMinor !== 100 && lostReason !== 'price')).toBe(true);
});

it('[contains] takes % and _ and \\ literally', async () => {
  const names = async (text: string) => [
    ...new Set((await listed(`limit=200&name[contains]=${encodeURIComponent(text)}`)).map(({ name }) => name)),
  ];
  expect((await names('%')).sort()).toEqual(['100%', 'acme 50%']);
  expect(await names('a_b')).toEqual(['a_b']);
  expect(await names('\\')).toEqual(['\\back']);
  expect((await names('müller')).sort()).toEqual(['MÜLLER & Co', 'Müller']);
});

it('several filters are combined', async () => {
  const query = 'limit=200&status=open&currency[in]=USD,EUR&valueMinor[gte]=1&valueMinor[lt]=2500000&name[contains]=a';
  const expected = deals.filter(
    ({ status, currency, valueMinor, name }) =>
      status === 'open' &&
      currency !== 'JPY' &&
      valueMinor !== null &&
      valueMinor >= 1 &&
      valueMinor < 2_500_000 &&
      name.toLowerCase().includes('a'),
  );
  expect(expected.length).toBeGreaterThan(1);
  expect(idsOf(await listed(query))).toEqual(idsOf(expected));
});

it('isStale finds open deals that have exceeded the time of their stage', async () => {
  const before = tenant;
  tenant = await platform.tenant();
  const [late, early, won] = [await makeDeal(tenant.api), await makeDeal(tenant.api), await makeDeal(tenant.api)];
  await act(tenant.api, won.id, 'win');
  const stale = `update data.sales_deals set stale_at = now() + $2::interval where id = any($1)`;
  await asAdmin(platform.database, stale, [[late.id, won.id], '-1 second']);
  await asAdmin(platform.database, stale, [[early.id], '1 hour']);
  const found = await listed('isStale=true');
  expect(found.map(({ id, isStale }) => [id, isStale])).toEqual([[late.id, true]]);
  expect(idsOf(await listed('isStale=false'))).toEqual(idsOf([early, won]));
  tenant = before;
});

it('an instant may be written with any offset', async () => {
  const expected = deals.filter(({ closedAt }) => closedAt === '2026-01-02T03:04:05.678Z');
  expect(expected.length).toBeGreaterThan(0);
  for (const text of ['2026-01-02T05:04:05.678+02:00', '2026-01-02T03:04:05.678000Z', '2026-01-01T22:04:05.678-05:00'])
    expect(idsOf(await listed(`limit=200&closedAt=${encodeURIComponent(text)}`))).toEqual(idsOf(expected));
});

it.each([
  ['status=closed', 'invalid_value'],
  ['status=OPEN', 'invalid_value'],
  ['status[in]=open,closed', 'invalid_value'],
  ['status[ne]=', 'invalid_value'],
  ['valueMinor=abc', 'invalid_type'],
  ['valueMinor=1.5', 'invalid_type'],
  ['valueMinor[gte]=-1', 'out_of_range'],
  ['valueMinor[in]=1,x', 'invalid_type'],
  ['valueMinor=', 'invalid_type'],
  ['valueMinor=null', 'invalid_type'],
  ['probability[lt]=101', 'out_of_range'],
  ['valueMinor[isNull]=yes', 'invalid_type'],
  ['isStale=1', 'invalid_type'],
  ['expectedCloseDate=2026-02-30', 'invalid_date'],
  ['expectedCloseDate[gt]=2026-01-01T00:00:00Z', 'invalid_date'],
  ['createdAt[gt]=2026-01-01', 'invalid_instant'],
  ['pipelineId=x', 'invalid_id'],
  ['ids=x', 'invalid_id'],
  [`ids=${Array.from({ length: 101 }, () => UNKNOWN_ID).join(',')}`, 'too_many'],
  ['currency=usd', 'unknown_currency'],
  ['name[contains]=', 'too_short'],
  ['includeArchived=maybe', 'invalid_type'],
])('%s is 400', async (query, code) => {
  const answer = await tenant.api.get(`${DEALS}?${query}`);
  expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed']);
  expect(answer.body['errors']).toMatchObject([{ parameter: query.split('=')[0], code }]);
});

it.each([
  'x=1',
  'nextStep=x',
  'tenantId=x',
  'tenant_id=x',
  'lostNotes=x',
  'weightedValueMinor=1',
  'status[gt]=open',
  'status[isNull]=true',
  'name[like]=x',
  'name[]=x',
  'name[contains][x]=x',
  'probability[isNull]=true',
  'valueMinor[contains]=1',
  'offset=1',
  '__proto__=1',
  'constructor=1',
  'NAME=x',
])('%s is 400 unknown_parameter', async (query) => {
  const answer = await tenant.api.get(`${DEALS}?${query}`);
  expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed']);
  expect(answer.body['errors']).toMatchObject([{ parameter: query.split('=')[0], code: 'unknown_parameter' }]);
});

it('reports all failures at once', async () => {
  const answer = await tenant.api.get(`${DEALS}?status=x&nothing=1&limit=0&sort=-nextStep`);
  expect((answer.body['errors'] as { parameter: string }[]).map((each) => each.parameter).sort()).toEqual([
    'limit',
    'nothing',
    'sort',
    'status',
  ]);
});

it('finds existing records by id, but none of another tenant', async () => {
  const foreign = await makeDeal((await platform.tenant()).api);
  const [a, b] = deals as [ShownDeal, ShownDeal];
  expect(idsOf(await listed(`ids=${a.id},${foreign.id},${b.id},${UNKNOWN_ID}`))).toEqual(idsOf([a, b]));
  expect(await listed(`ids=${foreign.id}`)).toEqual([]);
  expect(await listed(`pipelineId=${foreign.pipelineId}`)).toEqual([]);
});
