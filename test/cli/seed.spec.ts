import { DAY_MS } from '#libs/kernel/durations.js';
import { AUDITED } from '../harness/audit.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

interface Seeded {
  tenant: string;
  deals: number;
  firstReference: string;
  lastReference: string;
  events: number;
}

interface Page {
  data: Record<string, unknown>[];
  page: { hasMore: boolean; nextCursor: string | null };
}

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

function seed(slug: string, deals: number): Promise<Seeded> {
  return operator.json<Seeded>('seed', '--tenant', slug, '--deals', String(deals));
}

/** Every deal of the tenant, read through the API, whose responses are validated against the OpenAPI document. */
async function allDeals(apiKey: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (let cursor = ''; ;) {
    const path = `${DEALS}?limit=200&sort=createdAt${cursor}`;
    const { status, body } = await platform.anonymous().get<Page>(path, { 'x-api-key': apiKey });
    expect(status).toBe(200);
    found.push(...body.data);
    if (!body.page.hasMore) return found;
    cursor = `&cursor=${body.page.nextCursor}`;
  }
}

test('creates the requested number of deals, which the API shows like any others', async () => {
  const { slug, apiKey } = await operator.tenant('enterprise');
  expect(await seed(slug, 2_100)).toMatchObject({
    tenant: slug,
    deals: 2_100,
    firstReference: 'DEAL-000001',
    lastReference: 'DEAL-002100',
    events: 0,
  });
  const deals = await allDeals(apiKey);
  expect(new Set(deals.map(({ reference }) => reference)).size).toBe(2_100);
  const values = (field: string) => new Set(deals.map((deal) => deal[field]));
  expect(values('status')).toEqual(new Set(['open', 'won', 'lost']));
  expect(values('stage').size).toBe(7);
  expect(values('dealType').size).toBe(3);
  expect(values('source').size).toBeGreaterThan(5);
  expect(values('currency').size).toBeGreaterThan(3);
  expect(values('name').size).toBeGreaterThan(1_950);
  expect(values('valueMinor').size).toBeGreaterThan(200);
  expect(values('lostReason').size).toBeGreaterThan(4);
  expect(deals.some(({ renewalOfDealId }) => renewalOfDealId !== null)).toBe(true);
});

test('spreads them over two years, each with a plausible history', async () => {
  const { slug, apiKey } = await operator.tenant('enterprise');
  await seed(slug, 1_000);
  const deals = await allDeals(apiKey);
  const now = Date.now();
  const months = new Set(deals.map(({ createdAt }) => String(createdAt).slice(0, 7)));
  expect(months.size).toBeGreaterThanOrEqual(24);
  expect(now - Date.parse(String(deals[0]!['createdAt']))).toBeGreaterThan(725 * DAY_MS);
  for (const deal of deals) {
    const [created, entered, updated] = ['createdAt', 'stageEnteredAt', 'updatedAt'].map((field) =>
      Date.parse(String(deal[field])),
    );
    expect(created).toBeLessThanOrEqual(entered!);
    expect(entered).toBeLessThanOrEqual(updated!);
    expect(updated).toBeLessThanOrEqual(now);
    expect(deal['createdBy']).toEqual({ type: 'system', id: null, name: 'operator CLI' });
  }
});

test('uses references that no earlier or later deal has', async () => {
  const { slug, apiKey } = await operator.tenant('enterprise');
  const create = async () => {
    const { status } = await platform.anonymous().post(DEALS, { name: 'By hand' }, { 'x-api-key': apiKey });
    expect(status).toBe(201);
  };
  await create();
  // Several at a time, so that the API holds a block of unused numbers.
  await Promise.all([create(), create(), create(), create(), create()]);
  await seed(slug, 20);
  await Promise.all([create(), create(), create(), create(), create()]);
  await seed(slug, 20);
  await create();
  const references = (await allDeals(apiKey)).map(({ reference }) => reference);
  expect(references).toHaveLength(52);
  expect(new Set(references).size).toBe(52);
});

test('writes one audit entry and no deal events', async () => {
  const { tenantId, slug } = await operator.tenant();
  await seed(slug, 30);
  const entries = await rows<{ entry: string }>(
    `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'sales.deal.seeded'`,
    [tenantId],
  );
  expect(entries.map(({ entry }) => JSON.parse(entry) as object)).toEqual([
    expect.objectContaining({
      actor: { type: 'system', id: null, name: 'operator CLI' },
      changes: {
        deals: { from: null, to: 30 },
        firstReference: { from: null, to: 'DEAL-000001' },
        lastReference: { from: null, to: 'DEAL-000030' },
      },
    }),
  ]);
  expect(await rows('select type from data.events where tenant_id = $1', [tenantId])).toEqual([
    { type: 'core.tenant.created' },
    { type: 'sales.pipeline.created' },
  ]);
});

test('respects the tenant’s default pipeline and the required fields of its stages', async () => {
  const { slug, apiKey } = await operator.tenant('enterprise');
  const stage = (key: string, category: string, probability: number, more: object = {}) => ({
    key,
    name: key,
    category,
    probability,
    forecastCategory: category === 'lost' ? 'omitted' : 'pipeline',
    ...more,
  });
  const requiredFields = ['value', 'expectedCloseDate', 'nextStep', 'nextStepDate', 'recurring'];
  const stages = [
    stage('talk', 'open', 20, { rottenAfterDays: 5 }),
    stage('sign', 'open', 80, { requiredFields }),
    stage('done', 'won', 100, { requiredFields: ['recurring'] }),
    stage('gone', 'lost', 0),
    stage('spam', 'lost', 0),
  ];
  const key = { 'x-api-key': apiKey };
  const made = await platform.anonymous().post('/api/v1/sales/pipelines', { name: 'Own', stages }, key);
  const path = `/api/v1/sales/pipelines/${String(made.body['id'])}`;
  expect((await platform.anonymous().patch(path, { isDefault: true }, key)).status).toBe(200);
  await seed(slug, 600);
  const deals = await allDeals(apiKey);
  expect(new Set(deals.map((deal) => deal['stage']))).toEqual(new Set(stages.map((each) => each.key)));
  for (const deal of deals) {
    expect(deal['pipelineId']).toBe(made.body['id']);
    const needed = deal['stage'] === 'sign' ? requiredFields : deal['stage'] === 'done' ? ['recurring'] : [];
    for (const field of needed) expect(deal[field]).not.toBeNull();
  }
  expect(deals.some((deal) => deal['stage'] === 'talk' && deal['isStale'] === true)).toBe(true);
});

test('creates deals that full-text search finds', async () => {
  const { slug, apiKey } = await operator.tenant('enterprise');
  await seed(slug, 200);
  const { body } = await platform.anonymous().get<Page>(`${DEALS}?q=renewal`, { 'x-api-key': apiKey });
  expect(body.data.length).toBeGreaterThan(0);
  for (const { name } of body.data) expect(String(name)).toContain('renewal');
});

test('creates nothing for an unknown tenant or when it fails halfway', async () => {
  expect(await operator.run('seed', '--tenant', 'nobody', '--deals', '5')).toMatchObject({ exitCode: 1, stdout: '' });
  const { tenantId, slug } = await operator.tenant();
  // The second batch hits a reference that is taken.
  await seed(slug, 1);
  await rows(`update data.sales_deals set reference = 'DEAL-002500' where tenant_id = $1`, [tenantId]);
  expect(await operator.run('seed', '--tenant', slug, '--deals', '3000')).toMatchObject({ exitCode: 1, stdout: '' });
  expect(await rows('select count(*)::int as count from data.sales_deals where tenant_id = $1', [tenantId])).toEqual([
    { count: 1 },
  ]);
});
