import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal } from '../sales/deal-calls.js';

const QUERY = '/api/insights/query';

interface Answer {
  results: {
    metric: string;
    source: string;
    series: {
      currency: string | null;
      points: {
        from: string;
        to: string;
        value: number | null;
        sampleSize: number;
        unknownBecause: string | null;
        recordedDay: string | null;
        drillDown: string | null;
        compared: number | null;
        changePercent: number | null;
      }[];
    }[];
  }[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

async function ask(api: Client, question: object): Promise<Answer['results']> {
  const { status, body } = await api.post<Answer>(QUERY, question);
  expect(status).toBe(200);
  return body.results;
}

async function won(api: Client, closedAt: string, fields: object = {}): Promise<void> {
  const { id } = await makeDeal(api, fields);
  await act(api, id, 'win', { closedAt });
}

const record = ({ id }: TestTenant, date: string, figures: object) =>
  asAdmin(
    platform.database,
    `insert into data.metric_snapshots (tenant_id, date, time_zone, figures, recorded_at) values ($1, $2, 'UTC', $3, now())`,
    [id, date, JSON.stringify(figures)],
  );

it('whose history is not shown are null with no_data, and the list says so', async () => {
  const tenant = await platform.tenant();
  const { body } = await tenant.api.get<{ data: { key: string; hasHistory: boolean }[] }>('/api/insights/metrics');
  const without = body.data.filter(({ hasHistory }) => !hasHistory).map(({ key }) => key);
  expect(without).toContain('overdue_tasks');
  const [overdue] = await ask(tenant.api, { metrics: ['overdue_tasks'], from: '2026-10-01', to: '2026-11-20' });
  expect(overdue).toMatchObject({
    metric: 'overdue_tasks',
    series: [{ points: [1, 2].map(() => ({ value: null, unknownBecause: 'no_data' })) }],
  });
  for (const { key, hasHistory } of body.data)
    expect([key, (await tenant.api.get(`/api/insights/metrics/${key}/history`)).status]).toEqual([
      key,
      hasHistory ? 200 : 404,
    ]);
  const all = await ask(tenant.api, { metrics: without.slice(0, 5), from: '2026-11-01', to: '2026-11-20' });
  expect(all.map(({ metric }) => metric)).toEqual(without.slice(0, 5));
});

describe('metrics over time', () => {
  it('are measured from the records, which each value lists', async () => {
    const tenant = await platform.tenant();
    for (const day of ['2026-01-31', '2026-02-01', '2026-02-28', '2026-04-01'])
      await won(tenant.api, `${day}T12:00:00Z`);
    const question = { metrics: ['deals_won'], from: '2026-01-15', to: '2026-03-01', compareTo: 'previous' };
    const [result] = await ask(tenant.api, question);
    expect(result).toMatchObject({ metric: 'deals_won', source: 'records' });
    const { points } = result!.series[0]!;
    expect(
      points.map(({ from, to, value, compared, changePercent }) => [from, to, value, compared, changePercent]),
    ).toEqual([
      ['2026-01-01', '2026-01-31', 1, 0, null],
      ['2026-02-01', '2026-02-28', 2, 1, 100],
      ['2026-03-01', '2026-03-31', 0, 2, -100],
    ]);
    for (const { drillDown, sampleSize } of points)
      expect((await tenant.api.get<{ data: object[] }>(drillDown!)).body.data).toHaveLength(sampleSize);
  });

  it.each([
    ['day', '2026-02-27', '2026-02-27', '2026-03-02', 4],
    ['week', '2026-01-07', '2026-01-05', '2026-07-05', 26],
    ['quarter', '2026-01-07', '2026-01-01', '2026-06-30', 2],
  ])('come by the %s', async (grain, from, first, last, periods) => {
    const { api } = await platform.tenant();
    const [result] = await ask(api, { metrics: ['deals_won'], from, to: grain === 'day' ? last : '2026-06-30', grain });
    const { points } = result!.series[0]!;
    expect([points.length, points[0]!.from, points.at(-1)!.to]).toEqual([periods, first, last]);
  });

  it('are compared with the same period a year ago', async () => {
    const tenant = await platform.tenant();
    for (const day of ['2025-02-10', '2026-02-10', '2026-02-11']) await won(tenant.api, `${day}T12:00:00Z`);
    const question = { metrics: ['deals_won'], from: '2026-02-01', to: '2026-02-28', compareTo: 'year' };
    const [result] = await ask(tenant.api, question);
    expect(result!.series[0]!.points).toMatchObject([{ value: 2, compared: 1, changePercent: 100 }]);
  });

  it('keep currencies apart', async () => {
    const tenant = await platform.tenant();
    await won(tenant.api, '2026-02-03T12:00:00Z', { valueMinor: 500, currency: 'USD' });
    await won(tenant.api, '2026-03-03T12:00:00Z', { valueMinor: 70, currency: 'EUR' });
    const [result] = await ask(tenant.api, { metrics: ['won_value'], from: '2026-02-01', to: '2026-03-31' });
    expect(result!.series.map(({ currency, points }) => [currency, points.map(({ value }) => value)])).toEqual([
      ['USD', [500, 0]],
      ['EUR', [0, 70]],
    ]);
  });

  it('of the current state are those of the last recorded day of each period', async () => {
    const tenant = await platform.tenant();
    const headcount = (value: number) => ({ headcount: { sample: value, value } });
    await record(tenant, '2026-01-30', headcount(4));
    await record(tenant, '2026-03-05', headcount(8));
    await record(tenant, '2026-03-06', headcount(9));
    await record(tenant, '2026-03-07', {});
    const question = { metrics: ['headcount'], from: '2026-01-01', to: '2026-03-31', compareTo: 'previous' };
    const [result] = await ask(tenant.api, question);
    expect(result).toMatchObject({ source: 'recorded' });
    expect(result!.series[0]!.points).toMatchObject([
      { value: 4, recordedDay: '2026-01-30', drillDown: null, compared: null },
      { value: null, recordedDay: null, unknownBecause: 'not_recorded', compared: 4 },
      { value: 9, recordedDay: '2026-03-06', compared: null, changePercent: null },
    ]);
  });

  it('count only records that the caller may see, and keep recorded figures from callers who see a part', async () => {
    const tenant = await platform.tenant();
    const { body: workspace } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'North' });
    await won(tenant.api, '2026-02-03T12:00:00Z', { workspaceId: workspace.id });
    await won(tenant.api, '2026-02-04T12:00:00Z');
    const { body: role } = await tenant.api.post<{ id: string }>('/api/admin/roles', {
      name: 'Reader of own deals',
      permissions: ['scorecards:read', 'deals:read@workspace'],
    });
    const place = { roles: [role.id], workspaces: { [workspace.id]: 'member' as const } };
    const { api } = await platform.member(tenant, 'A reader', ['*'], place);
    const question = { metrics: ['deals_won'], from: '2026-02-01', to: '2026-02-28' };
    expect((await ask(tenant.api, question))[0]!.series[0]!.points).toMatchObject([{ value: 2 }]);
    expect((await ask(api, question))[0]!.series[0]!.points).toMatchObject([{ value: 1 }]);
    const both = await ask(api, { ...question, metrics: ['pipeline_value', 'deals_won'] });
    expect(both.map(({ metric }) => metric)).toEqual(['pipeline_value', 'deals_won']);
    for (const { points } of both[0]!.series)
      expect(points.map(({ value, unknownBecause }) => [value, unknownBecause])).toEqual(
        points.map(() => [null, 'no_data']),
      );
  });

  it('have no mean or share of fewer items than scorecards need, but every count and sum', async () => {
    const tenant = await platform.tenant();
    for (let day = 1; day <= 4; day++) await won(tenant.api, `2026-02-0${day}T12:00:00Z`, { valueMinor: 100 });
    const question = { metrics: ['win_rate', 'deals_won', 'won_value'], from: '2026-02-01', to: '2026-02-28' };
    const values = async () => {
      const results = await ask(tenant.api, question);
      return results.map(({ series }) => {
        const { value, sampleSize, unknownBecause } = series[0]!.points[0]!;
        return [value, sampleSize, unknownBecause];
      });
    };
    expect(await values()).toEqual([
      [null, 4, 'too_few_items'],
      [4, 4, null],
      [400, 4, null],
    ]);
    await won(tenant.api, '2026-02-05T12:00:00Z', { valueMinor: 100 });
    expect((await values())[0]).toEqual([100, 5, null]);
  });

  it('end with the current period', async () => {
    const { api } = await platform.tenant();
    const today = new Date(platform.clock.nowMs()).toISOString().slice(0, 10);
    const lastOfMonth = `${today.slice(0, 7)}-28`;
    const [result] = await ask(api, {
      metrics: ['deals_won'],
      from: today,
      to: lastOfMonth < today ? today : lastOfMonth,
    });
    expect(result!.series[0]!.points).toMatchObject([{ value: 0, unknownBecause: null }]);
    const tomorrow = new Date(platform.clock.nowMs() + 86_400_000).toISOString().slice(0, 10);
    for (const span of [
      { from: today, to: tomorrow, grain: 'day' },
      { from: '8999-01-01', to: '8999-02-01' },
      { from: today, to: '8999-12-31' },
    ])
      expect(await api.post(QUERY, { ...span, metrics: ['deals_won'] })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/to', code: 'out_of_range', detail: 'The range cannot end in the future.' }] },
      });
  });

  it('have anomalies, which are refused for unknown metrics', async () => {
    const { api } = await platform.tenant();
    expect(await api.get('/api/insights/anomalies?metric=win_rate')).toMatchObject({ status: 200 });
    expect(await api.get('/api/insights/anomalies?metric=win_rat')).toMatchObject({
      status: 400,
      body: { errors: [{ parameter: 'metric', code: 'unknown_metric' }] },
    });
  });

  it('are refused for unknown metrics and invalid spans', async () => {
    const { api } = await platform.tenant();
    const span = { from: '2026-02-01', to: '2026-02-28' };
    const unknown = await api.post(QUERY, { ...span, metrics: ['win_rat'] });
    expect(unknown).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/metrics/0', code: 'unknown_metric' }] },
    });
    const wrong = await api.post(QUERY, { metrics: ['win_rate'], from: '2026-02-02', to: '2026-02-01' });
    const long = await api.post(QUERY, { metrics: ['win_rate'], from: '2026-01-01', to: '2026-06-30', grain: 'day' });
    const errors = [{ pointer: '/from', code: 'out_of_range' }];
    for (const answer of [wrong, long]) expect(answer).toMatchObject({ status: 400, body: { errors } });
  });
});
