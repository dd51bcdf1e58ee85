import { MetricCatalogue } from '#libs/measures/metric-catalogue.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { SERVICE_METRIC_KEYS } from '#src/areas/insights/scorecards/service-cards.js';
import type { Scorecard, Scorecards } from '#src/areas/insights/scorecards/scorecards.dto.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal } from '../sales/deal-calls.js';
import { makeRole } from './people-calls.js';
import { MAKERS, scatter } from './scorecard-records.js';

const PATH = '/api/admin/scorecards';
const platform = await startPlatform({ env: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
const metrics = platform.app.get(MetricCatalogue).all();
afterAll(() => platform.close());

type Item = Record<string, unknown> & { id: string };

async function read(api: Client, query = ''): Promise<Scorecards> {
  const answer = await api.get<Scorecards>(`${PATH}${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
}

/** All items of a list that may have several pages. */
async function itemsOf(api: Client, path: string): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | null = null;
  do {
    const paging: string = `limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await api.get<{ data: Item[]; page: { nextCursor: string | null } }>(
      `${path}${path.includes('?') ? '&' : '?'}${paging}`,
    );
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
    found.push(...answer.body.data);
    cursor = answer.body.page.nextCursor;
  } while (cursor !== null);
  return found;
}

const cardOf = ({ cards }: Scorecards, key: string) => cards.find((each) => each.key === key);

/** The sum of amounts by currency; null if no item has one. */
function amounts(items: readonly Item[], minor: (item: Item) => number | null) {
  const byCurrency = Map.groupBy(items, ({ currency }) => String(currency));
  return [...byCurrency]
    .map(([currency, each]) => {
      const known = each.map(minor).filter((value) => value !== null);
      return { currency, minor: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) };
    })
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
const amountIn = (item: Item, field: string) => (item[field] === null ? null : Number(item[field]));
const percent = (items: readonly Item[], isCounted: (item: Item) => boolean) =>
  Math.round((100_000 * items.filter(isCounted).length) / items.length) / 1_000;
const sum = (items: readonly Item[], field: string) => items.reduce((total, item) => total + Number(item[field]), 0);
const day = (instant: unknown) => String(instant).slice(0, 10);

/** The value that a reader calculates from the items of the drill-down. */
const RECOUNTS: Record<string, (items: Item[]) => Scorecard['value']> = {
  won_value: (items) => amounts(items, (item) => amountIn(item, 'valueMinor')),
  pipeline_value: (items) => amounts(items, (item) => amountIn(item, 'valueMinor')),
  weighted_forecast: (items) => amounts(items, (item) => amountIn(item, 'weightedValueMinor')),
  win_rate: (items) => percent(items, ({ status }) => status === 'won'),
  lead_conversion: (items) => percent(items, ({ status }) => status === 'qualified'),
  invoiced: (items) => amounts(items, (item) => amountIn(item, 'totalMinor')),
  collected: (items) => amounts(items, (item) => Number(item['amountMinor']) - Number(item['refundedMinor'])),
  receivable: (items) => amounts(items, (item) => amountIn(item, 'balanceMinor')),
  overdue_amount: (items) => amounts(items, (item) => amountIn(item, 'balanceMinor')),
  overdue_share: (items) => percent(items, ({ isOverdue }) => isOverdue === true),
  on_time_payment: (items) => percent(items, ({ paidAt, dueDate }) => day(paidAt) <= String(dueDate)),
  projects_on_time: (items) => percent(items, ({ completedAt, targetDate }) => day(completedAt) <= String(targetDate)),
  budget_adherence: (items) => percent(items, ({ budgetUsedPercent }) => Number(budgetUsedPercent) <= 100),
  cycle_completion: (items) => {
    const snapshots = items.map(({ snapshot }) => snapshot as Item);
    return Math.round((100_000 * sum(snapshots, 'done')) / sum(snapshots, 'scope')) / 1_000;
  },
  hours_logged: (items) => Math.round((1_000 * sum(items, 'minutes')) / 60) / 1_000,
  utilisation: (items) => {
    const billable = items.filter((item) => item['billable'] === true);
    return Math.round((100_000 * sum(billable, 'minutes')) / sum(items, 'minutes')) / 1_000;
  },
  attrition_12m: (items) => percent(items, ({ status }) => status === 'terminated'),
  absence_days: (items) => sum(items, 'days'),
  offer_acceptance: (items) => percent(items, ({ status }) => status === 'accepted'),
  stage_conversion: (items) => percent(items, ({ status }) => status === 'hired'),
  webhook_success: (items) => percent(items, ({ status }) => status === 'delivered'),
  mfa_coverage: (items) => percent(items, ({ mfa }) => (mfa as { satisfied: boolean }).satisfied),
  ai_success: (items) => percent(items, ({ status }) => status === 'succeeded'),
  ai_accepted_suggestions: () => 50,
  ai_budget_used: () => 0,
};
/** Means of days, which depend on the time that the test takes, and metrics that need a target. */
const NOT_RECOUNTED = ['average_deal_value', 'sales_cycle_days', 'days_sales_outstanding', 'task_cycle_days'];

describe('for every metric', () => {
  let tenant: TestTenant;
  let cards: Scorecards;
  beforeAll(async () => {
    tenant = await platform.tenant();
    for (const make of Object.values(MAKERS)) await make({ platform, tenant, workspaceId: null });
    cards = await read(tenant.api);
  });

  it.each(metrics.map(({ key, unit }) => [key, unit]))(
    'the drill-down of %s lists the counted items',
    async (key, unit) => {
      const card = cardOf(cards, key)!;
      const items = await itemsOf(tenant.api, card.drillDown);
      expect(card.sampleSize).toBeGreaterThanOrEqual(5);
      expect(items).toHaveLength(card.sampleSize);
      const recount = RECOUNTS[key] ?? (unit === 'count' ? ({ length }: Item[]) => length : null);
      if (recount) expect(card.value).toEqual(recount(items));
      else expect([...NOT_RECOUNTED, 'pipeline_coverage', 'time_to_hire_days']).toContain(key);
    },
  );
});

const WORKSPACES = '/api/admin/workspaces';
const SETTINGS = '/api/admin/settings';

async function workspace({ api }: TestTenant, name: string): Promise<string> {
  const answer = await api.post<{ id: string }>(WORKSPACES, { name });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.id;
}

async function setScorecards({ api }: TestTenant, scorecards: object): Promise<void> {
  const answer = await api.patch(SETTINGS, { scorecards });
  if (answer.status !== 200) throw new Error(answer.text);
}

describe('callers who are limited to workspaces', () => {
  const OF_WORKSPACES = metrics.filter(({ source }) => source.workspaceFilter !== null);
  let tenant: TestTenant;
  let own: string;
  let other: string;
  let manager: Client;
  beforeAll(async () => {
    tenant = await platform.tenant();
    await setScorecards(tenant, { minSample: 1 });
    own = await workspace(tenant, 'Own');
    other = await workspace(tenant, 'Other');
    for (const workspaceId of [own, other, null])
      for (const make of Object.values(MAKERS)) await make({ platform, tenant, workspaceId });
    const place = { roles: ['manager'], workspaces: { [own]: 'member' as const } };
    manager = (await platform.member(tenant, 'Mia', ['*'], place)).api;
  }, 240_000);

  it('see only cards of lists with workspaces', async () => {
    const { cards } = await read(manager);
    const expected = OF_WORKSPACES.filter(({ permission }) => permission === undefined).map(({ key }) => key);
    expect(cards.map(({ key }) => key)).toEqual(expected);
  });

  it('see cards that count only items of these, which the drill-down lists for them', async () => {
    const { cards } = await read(manager);
    const whole = await read(tenant.api);
    for (const card of cards) {
      const items = await itemsOf(manager, card.drillDown);
      expect([card.key, items.length]).toEqual([card.key, card.sampleSize]);
      expect([card.key, card.sampleSize > 0]).toEqual([card.key, true]);
      expect([card.key, card.sampleSize < cardOf(whole, card.key)!.sampleSize]).toEqual([card.key, true]);
      const places = new Set(items.map(({ workspaceId }) => workspaceId ?? null));
      places.delete(null); // inherited from the parent, or of a list that filters by it without showing it
      expect([card.key, [...places].filter((each) => each !== own)]).toEqual([card.key, []]);
    }
  });

  it('get the same cards as others who name the workspace', async () => {
    const named = await read(tenant.api, `?workspaceId=${own}`);
    for (const card of (await read(manager)).cards) {
      const { value, sampleSize } = cardOf(named, card.key)!;
      expect([card.key, card.value, card.sampleSize]).toEqual([card.key, value, sampleSize]);
    }
  });

  it.each([1, 2, 3])('count what they can list, whatever records they may read (seed %i)', async (seed) => {
    const registry = platform.app.get(ResourceRegistry);
    const reads = metrics.flatMap(({ of }) => registry.ofType(of)?.definition.permissions.read ?? []);
    const limited = [...new Set(reads)].map((read, i) => `${read}@${(i + seed) % 2 === 0 ? 'own' : 'workspace'}`);
    const role = await makeRole(tenant, `Limited ${seed}`, ['scorecards:read', ...limited]);
    const place = { roles: [role], workspaces: { [own]: 'member' as const } };
    const reader = await platform.member(tenant, 'Rita', ['*'], place);
    await scatter({ platform, tenant, workspaceId: null }, { workspaceIds: [own, other], ownerId: reader.id, seed });
    for (const api of [manager, reader.api]) {
      const { cards } = await read(api);
      expect(cards.length).toBeGreaterThan(20);
      for (const card of cards) {
        const items = await itemsOf(api, card.drillDown);
        expect([card.key, items.length]).toEqual([card.key, card.sampleSize]);
        const recount = card.value !== null && items.length > 0 ? RECOUNTS[card.key] : undefined;
        if (recount) expect([card.key, card.value]).toEqual([card.key, recount(items)]);
      }
    }
  });

  it('find nothing in the workspaces of others', async () => {
    const { cards } = await read(manager, `?workspaceId=${await workspace(tenant, 'Third')}`);
    expect(cards).toEqual([]);
  });
});

describe('cards', () => {
  it('count no records of other tenants', async () => {
    const [tenant, other] = [await platform.tenant(), await platform.tenant()];
    await MAKERS['sales.deal']!({ platform, tenant: other, workspaceId: null });
    const { cards } = await read(tenant.api, '?group=sales');
    expect(cards.map(({ sampleSize }) => sampleSize)).toEqual(cards.map(() => 0));
  });

  it('are shown only to callers who may read their records', async () => {
    const tenant = await platform.tenant();
    const keysOf = async (scopes: string[]) =>
      (await read(await platform.key(tenant, ['scorecards:read', ...scopes]))).cards.map(({ key }) => key);
    expect(await keysOf([])).toEqual([]);
    expect(await keysOf(['leads:read'])).toEqual(['new_leads', 'lead_conversion']);
    expect(await keysOf(['employees:read'])).toEqual(['headcount', 'joiners']);
    expect(await keysOf(['employees:read', 'employees.personal:read'])).toContain('leavers');
    await tenant.api.patch(SETTINGS, { features: { sales: false } });
    expect(await keysOf(['leads:read'])).toEqual([]);
  });

  it('have no value below the minimum sample', async () => {
    const tenant = await platform.tenant();
    await setScorecards(tenant, { targets: { deals_won: 1 } });
    for (let i = 0; i < 4; i++) await win(tenant.api, await makeDeal(tenant.api));
    const card = async () => cardOf(await read(tenant.api), 'deals_won');
    expect(await card()).toMatchObject({ value: null, sampleSize: 4, rating: 'no_data' });
    await win(tenant.api, await makeDeal(tenant.api));
    expect(await card()).toMatchObject({ value: 5, sampleSize: 5, rating: 'green' });
    await setScorecards(tenant, { minSample: 6 });
    expect(await card()).toMatchObject({ value: null, rating: 'no_data' });
  });

  it('of the platform show availability, latency, posture and access reviews, for callers who may read these', async () => {
    const tenant = await platform.tenant();
    await setScorecards(tenant, { minSample: 1, targets: { posture_score: 100 } });
    for (let i = 0; i < 3; i++) await makeDeal(tenant.api);
    await tenant.api.post('/api/admin/security/posture', { action: 'run' });
    const cards = await read(tenant.api);
    const { value, ...availability } = cardOf(cards, 'availability')!;
    expect(value).toBe(100);
    expect(availability).toMatchObject({ group: 'platform', unit: 'percent', target: 99.9, rating: 'green' });
    expect(availability.series).toHaveLength(6);
    const { sampleSize } = cardOf(cards, 'api_p95')!;
    expect(sampleSize).toBeGreaterThanOrEqual(3);
    expect(cardOf(cards, 'api_p95')).toMatchObject({ unit: 'milliseconds', direction: 'lower', target: 500 });
    expect((await tenant.api.get(cardOf(cards, 'api_p95')!.drillDown)).status).toBe(200);
    const shown = await tenant.api.get<{ score: number | null }>('/api/admin/security/posture');
    expect(cardOf(cards, 'posture_score')).toMatchObject({ value: shown.body.score, target: 100 });
    expect(cardOf(cards, 'review_completion')).toMatchObject({ value: null, rating: 'no_data', target: 100 });
    const narrow = await read(await platform.key(tenant, ['scorecards:read', 'usage:read']));
    expect(narrow.cards.map(({ key }) => key)).toEqual(['availability', 'api_p95']);
    expect((await read(tenant.api, '?group=security')).cards.map(({ key }) => key)).toContain('review_completion');
  });

  it('count the decided items of the access reviews that are due in the period', async () => {
    const tenant = await platform.tenant();
    await setScorecards(tenant, { minSample: 1 });
    const reviewId = uuidv7();
    const { id: reviewerId } = await platform.member(tenant, 'Reviewer');
    const dueAt = platform.clock.now().toISOString();
    await asAdmin(
      platform.database,
      `insert into data.access_reviews (tenant_id, id, name, status, scope, reviewers, due_at, recurrence, population_hash,
         started_at, created_by, created_at, updated_at)
       values ($1, $2, 'Review', 'in_progress', '{}', '{}', $3, 'none', repeat('0', 64), $3, '{}', $3, $3)`,
      [tenant.id, reviewId, dueAt],
    );
    for (const decision of ['keep', 'revoke', 'pending', 'defer'])
      await asAdmin(
        platform.database,
        `insert into data.access_review_items (tenant_id, id, review_id, subject_type, subject_id, subject_name, snapshot,
           flags, reviewer_id, decision, decided_by, decided_at, created_at)
         values ($1, $2, $3, 'membership', $2, 'Ada', '{}', '[]', $6, $4, case $4 when 'pending' then null else '{}'::jsonb end,
           case $4 when 'pending' then null else $5::timestamptz end, $5)`,
        [tenant.id, uuidv7(), reviewId, decision, dueAt, reviewerId],
      );
    expect(cardOf(await read(tenant.api), 'review_completion')).toMatchObject({
      value: 75,
      sampleSize: 4,
      rating: 'red',
    });
  });

  it('have usual targets, unless the settings have others', async () => {
    const tenant = await platform.tenant();
    const target = async () => cardOf(await read(tenant.api), 'win_rate')!.target;
    expect(await target()).toBe(25);
    await setScorecards(tenant, { targets: { win_rate: 40 } });
    expect(await target()).toBe(40);
    await setScorecards(tenant, { targets: { win_rate: null } });
    expect(await target()).toBe(25);
  });

  it('are rated by the targets, and the groups by their cards', async () => {
    const tenant = await platform.tenant();
    for (let i = 0; i < 10; i++)
      await win(tenant.api, await makeDeal(tenant.api, { valueMinor: 100, currency: 'USD' }));
    await makeDeal(tenant.api, { valueMinor: 1_500, currency: 'USD', expectedCloseDate: '2000-01-01' });
    await setScorecards(tenant, {
      minSample: 1,
      targets: { won_value: 1_000, deals_won: 11, win_rate: 200, sales_cycle_days: 1, pipeline_value: null },
    });
    const scorecards = await read(tenant.api);
    const rating = (key: string) => cardOf(scorecards, key)!.rating;
    expect(rating('won_value')).toBe('green');
    expect(rating('deals_won')).toBe('amber');
    expect(rating('win_rate')).toBe('red');
    expect(rating('sales_cycle_days')).toBe('green');
    expect(rating('pipeline_value')).toBe('no_data');
    expect(cardOf(scorecards, 'pipeline_coverage')).toMatchObject({ value: 1.5, unit: 'ratio', sampleSize: 1 });
    const scores = Object.fromEntries(scorecards.overall.map(({ group, score }) => [group, score]));
    expect(scores).toMatchObject({ company: 100, sales: 50, finance: null });
  });

  it('compare with the period before, or the same one a year ago', async () => {
    const tenant = await platform.tenant();
    await setScorecards(tenant, { minSample: 1 });
    const now = platform.clock.nowMs();
    const monthsAgo = (months: number) => {
      const { 0: year, 1: month } = new Date(now).toISOString().split('-').map(Number) as [number, number];
      return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString();
    };
    const closed = [0, 0, 0, 1, 1, 12].map(monthsAgo);
    for (const closedAt of closed) await win(tenant.api, await makeDeal(tenant.api), { closedAt });
    const card = async (query: string) => cardOf(await read(tenant.api, `?period=month${query}`), 'deals_won')!;
    const monthly = await card('');
    expect(monthly).toMatchObject({ value: 3, previous: 2, changePercent: 50 });
    expect(monthly.series.map(({ value }) => value)).toEqual([null, null, null, null, 2, 3]);
    expect(await card('&compare=year')).toMatchObject({ value: 3, previous: 1, changePercent: 200 });
  });

  it('are described by a catalogue', async () => {
    const tenant = await platform.tenant();
    const list = async (api: Client) => (await api.get<{ data: { key: string }[] }>('/api/insights/metrics')).body.data;
    const described = (await read(tenant.api)).cards
      .filter(({ key }) => !SERVICE_METRIC_KEYS.includes(key)) // these count no list
      .map(({ key, group, name, formula, unit, direction }) => ({ key, group, name, formula, unit, direction }));
    expect(await list(tenant.api)).toMatchObject(described);
    const reader = await platform.key(tenant, ['scorecards:read', 'jobs:read']);
    expect((await list(reader)).map(({ key }) => key)).toEqual(['open_jobs']);
  });

  it('refuse unknown metrics in the targets', async () => {
    const { api } = await platform.tenant();
    const answer = await api.patch<{ errors: object[] }>(SETTINGS, { scorecards: { targets: { win_rat: 3 } } });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/scorecards/targets/win_rat', code: 'unknown_metric' }]);
    const wrong = await api.patch<{ errors: object[] }>(SETTINGS, { scorecards: { targets: { win_rate: 'much' } } });
    expect(wrong.body.errors).toMatchObject([{ pointer: '/scorecards/targets/win_rate', code: 'invalid_type' }]);
  });
});

const win = (api: Client, { id }: { id: string }, body?: object) => act(api, id, 'win', body);
