import { DAY_MS } from '#libs/kernel/durations.js';
import { SnapshotsUpkeep } from '#src/areas/insights/snapshots/snapshots-upkeep.js';
import type { Client } from '../harness/client.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

const METRICS = '/api/insights/metrics';
const DEALS = '/api/v1/sales/deals';

interface Point {
  date: string;
  value: number | null;
  sampleSize: number;
  recordedAt: string | null;
  unknownBecause: string | null;
}
interface History {
  from: string;
  to: string;
  recordedDays: number;
  series: { currency: string | null; points: Point[]; lastDay: Record<string, unknown> }[];
}
interface Forecast {
  lastRecorded: string | null;
  series: {
    currency: string | null;
    method: string | null;
    unknownBecause: string | null;
    inputs: number;
    backTests: object[];
    points: { date: string; value: number; low: number; high: number }[];
  }[];
}

let stage: Stage;
let workers: SnapshotsUpkeep[];
beforeAll(async () => {
  stage = await Stage.open();
  workers = [await stage.idleWorker(), await stage.idleWorker()].map((worker) => worker.get(SnapshotsUpkeep));
});
afterAll(() => stage.close());

const now = () => stage.platform.clock.nowMs();
const dayAgo = (days: number) => new Date(now() - days * DAY_MS).toISOString().slice(0, 10);
const historyOf = async (api: Client, key: string, query = '') =>
  (await api.get<History>(`${METRICS}/${key}/history${query}`)).body;

/** A tenant that exists since a year. */
async function oldTenant(): Promise<TestTenant> {
  const tenant = await stage.platform.tenant();
  await stage.sql(`update directory.tenants set created_at = created_at - interval '1 year' where id = $1`, [
    tenant.id,
  ]);
  return tenant;
}

/** Records of earlier days, oldest first; the last one is of the day before yesterday. Null leaves a day out. */
async function recorded({ id }: TestTenant, days: readonly (object | null)[]): Promise<void> {
  for (const [i, figures] of days.entries())
    if (figures)
      await stage.sql(
        `insert into data.metric_snapshots (tenant_id, date, time_zone, figures, recorded_at)
         values ($1, $2::date, 'UTC', $3, $2::date + interval '1 day 1 minute')`,
        [id, dayAgo(days.length + 1 - i), JSON.stringify(figures)],
      );
}

async function sweep(): Promise<void> {
  await Promise.all(workers.map((each) => each.sweep()));
}

const leads = (value: number) => ({ new_leads: { sample: value, value } });
const eventsOf = ({ id }: TestTenant) =>
  stage.sql<{ data: { metric: string } }>(
    `select (envelope::json)->'data' as data from data.events where tenant_id = $1 and type = 'insights.anomaly.detected'`,
    [id],
  );

describe('the recording of metrics', () => {
  it('records yesterday once, whatever the number of workers and rounds', async () => {
    const tenant = await oldTenant();
    for (const valueMinor of [1_000, 2_000]) await tenant.api.post(DEALS, { name: 'A', valueMinor, currency: 'USD' });
    await tenant.api.post(DEALS, { name: 'B', valueMinor: 333, currency: 'EUR' });
    await sweep();
    await sweep();
    const rows = await stage.sql(`select date::text from data.metric_snapshots where tenant_id = $1`, [tenant.id]);
    expect(rows).toEqual([{ date: dayAgo(1) }]);
    const before = await historyOf(tenant.api, 'pipeline_value', `?from=${dayAgo(1)}`);
    expect(before).toMatchObject({ metric: 'pipeline_value', unit: 'money', recordedDays: 1 });
    expect(before.series.map(({ currency, points }) => [currency, points[0]!.value, points[0]!.sampleSize])).toEqual([
      ['USD', 3_000, 3],
      ['EUR', 333, 3],
    ]);
    // What happens to the records later does not change it.
    await tenant.api.post(DEALS, { name: 'C', valueMinor: 5, currency: 'USD' });
    await sweep();
    expect(await historyOf(tenant.api, 'pipeline_value', `?from=${dayAgo(1)}`)).toEqual(before);
  });

  it('counts the items of the day in the time zone of the tenant', async () => {
    const tenant = await oldTenant();
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Pacific/Kiritimati' } });
    const local = (days: number) => new Date(now() + 14 * 3_600_000 - days * DAY_MS).toISOString().slice(0, 10);
    const start = Date.parse(`${local(1)}T00:00:00+14:00`);
    for (const offsetMs of [-1, 0, DAY_MS - 1, DAY_MS]) {
      const { body } = await tenant.api.post<{ id: string }>('/api/v1/sales/leads', {
        name: 'Ada',
        email: 'a@b.example',
      });
      const at = new Date(start + offsetMs).toISOString();
      await stage.sql(`update data.sales_leads set created_at = $2 where id = $1`, [body.id, at]);
    }
    await sweep();
    const { to, series } = await historyOf(tenant.api, 'new_leads');
    expect(to).toBe(local(1));
    expect(series[0]!.points.at(-1)).toMatchObject({ date: local(1), value: 2, sampleSize: 2 });
  });

  it('leaves gaps for missed days, and skips days before the tenant existed', async () => {
    const [old, young] = [await oldTenant(), await stage.platform.tenant()];
    await recorded(old, [leads(7), null, leads(9)]);
    await sweep();
    const { recordedDays, series } = await historyOf(old.api, 'new_leads', `?from=${dayAgo(4)}`);
    expect(recordedDays).toBe(3);
    expect(series[0]!.points.map(({ value, unknownBecause }) => [value, unknownBecause])).toEqual([
      [7, null],
      [null, 'not_recorded'],
      [9, null],
      [0, null],
    ]);
    expect(await historyOf(young.api, 'new_leads')).toMatchObject({ recordedDays: 0 });
  });

  it('shows no mean or share of few items', async () => {
    const tenant = await oldTenant();
    await recorded(tenant, [{ win_rate: { sample: 4, value: 25 } }, { win_rate: { sample: 5, value: 40 } }]);
    const query = `?from=${dayAgo(3)}&to=${dayAgo(2)}`;
    const read = async () => (await historyOf(tenant.api, 'win_rate', query)).series[0]!.points;
    expect(await read()).toMatchObject([
      { value: null, sampleSize: 4, unknownBecause: 'too_few_items' },
      { value: 40 },
    ]);
    await tenant.api.patch('/api/admin/settings', { scorecards: { minSample: 4 } });
    expect(await read()).toMatchObject([{ value: 25, unknownBecause: null }, { value: 40 }]);
  });

  it('deletes what is older than three years', async () => {
    const tenant = await oldTenant();
    const old = new Date(now() - 1_200 * DAY_MS).toISOString().slice(0, 10);
    await stage.sql(`insert into data.metric_snapshots values ($1, $2, 'UTC', '{}', now())`, [tenant.id, old]);
    await sweep();
    const rows = await stage.sql(`select date::text from data.metric_snapshots where tenant_id = $1`, [tenant.id]);
    expect(rows).toEqual([{ date: dayAgo(1) }]);
  });
});

describe('anomalies', () => {
  it('are found when a day is recorded, with one event, and can be recounted', async () => {
    const tenant = await oldTenant();
    const values = Array.from({ length: 90 }, (_, i) => 20 + (i % 7) + (Math.floor(i / 7) % 3));
    await recorded(tenant, values.map(leads)); // Yesterday had none.
    await sweep();
    await sweep();
    expect(await eventsOf(tenant)).toMatchObject([{ data: { metric: 'new_leads', value: 0, effect: 'worse' } }]);
    const list = async (query = '') =>
      (await tenant.api.get<{ anomalies: Record<string, unknown>[] }>(`/api/insights/anomalies${query}`)).body
        .anomalies;
    const [anomaly] = await list();
    expect(anomaly).toMatchObject({ metric: 'new_leads', date: dayAgo(1), unit: 'count', currency: null, inputs: 12 });
    const { series } = await historyOf(tenant.api, 'new_leads');
    const earlier = series[0]!.points
      .toReversed()
      .filter((_, i) => i > 0 && i % 7 === 0)
      .slice(0, 12);
    const sorted = earlier.map(({ value }) => value!).sort((a, b) => a - b);
    expect(anomaly!['median']).toBe((sorted[5]! + sorted[6]!) / 2);
    const { median, deviation, score } = anomaly!;
    expect(series[0]!.lastDay).toEqual({ median, deviation, score, inputs: 12, untestedBecause: null });
    expect(await list('?metric=win_rate')).toEqual([]);
    expect(await list(`?from=${dayAgo(9)}&to=${dayAgo(2)}`)).toEqual([]);
  });

  it('are not claimed without enough history', async () => {
    const tenant = await oldTenant();
    await recorded(
      tenant,
      Array.from({ length: 34 }, () => leads(20)),
    );
    await sweep();
    expect(await eventsOf(tenant)).toEqual([]);
    const { series } = await historyOf(tenant.api, 'new_leads');
    expect(series[0]!.lastDay).toMatchObject({ score: null, untestedBecause: 'too_little_history' });
  });
});

describe('forecasts', () => {
  it('name their method, its errors and an interval', async () => {
    const tenant = await oldTenant();
    const pattern = [5, 9, 2, 7, 1, 0, 0];
    await recorded(
      tenant,
      Array.from({ length: 84 }, (_, i) => leads(pattern[i % 7]!)),
    );
    const { body } = await tenant.api.get<Forecast>(`${METRICS}/new_leads/forecast?days=7`);
    expect(body.lastRecorded).toBe(dayAgo(2));
    const [series] = body.series;
    expect(series).toMatchObject({ currency: null, method: 'seasonal_naive', unknownBecause: null, inputs: 84 });
    expect(series!.points[0]).toEqual({ date: dayAgo(1), value: 5, low: 5, high: 5 });
    expect(series!.points.map(({ value }) => value)).toEqual(pattern);
    expect(series!.backTests).toMatchObject([
      { method: 'seasonal_naive', meanAbsoluteError: 0, meanAbsolutePercentError: 0 },
      { method: 'holt_linear' },
    ]);
  });

  it('keep currencies apart', async () => {
    const tenant = await oldTenant();
    const amounts = [
      { currency: 'EUR', minor: 7 },
      { currency: 'USD', minor: 100 },
    ];
    await recorded(
      tenant,
      Array.from({ length: 80 }, () => ({ receivable: { sample: 9, value: null, amounts } })),
    );
    const { body } = await tenant.api.get<Forecast>(`${METRICS}/receivable/forecast?days=1`);
    expect(body.series.map(({ currency, points }) => [currency, points[0]!.value])).toEqual([
      ['USD', 100],
      ['EUR', 7],
    ]);
  });

  it('are not made from too little history', async () => {
    const tenant = await oldTenant();
    await recorded(
      tenant,
      Array.from({ length: 20 }, () => leads(3)),
    );
    const { body } = await tenant.api.get<Forecast>(`${METRICS}/new_leads/forecast`);
    expect(body.series).toEqual([
      { currency: null, method: null, unknownBecause: 'too_little_history', inputs: 20, backTests: [], points: [] },
    ]);
    const other = await stage.platform.tenant();
    expect((await other.api.get<Forecast>(`${METRICS}/new_leads/forecast`)).body).toMatchObject({ lastRecorded: null });
  });
});

describe('recorded figures', () => {
  it('are shown only to callers who may see all counted items', async () => {
    const tenant = await oldTenant();
    await recorded(
      tenant,
      Array.from({ length: 90 }, (_, i) => leads(20 + (i % 3))),
    );
    await sweep();
    const seen = async (api: Client) => {
      const [history, anomalies] = [
        await api.get<History>(`${METRICS}/new_leads/history`),
        await api.get<{ anomalies: object[] }>('/api/insights/anomalies'),
      ];
      return [history.status, anomalies.status, anomalies.body.anomalies?.length];
    };
    expect(await seen(tenant.api)).toEqual([200, 200, 1]);
    const key = (...scopes: string[]) => stage.platform.key(tenant, scopes);
    expect(await seen(await key('scorecards:read', 'leads:read'))).toEqual([200, 200, 1]);
    expect(await seen(await key('scorecards:read', 'deals:read'))).toEqual([404, 200, 0]);
    expect(await seen(await key('leads:read'))).toEqual([403, 403, undefined]);
    const { body: workspace } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'North' });
    const place = { roles: ['manager'], workspaces: { [workspace.id]: 'member' as const } };
    const { api: manager } = await stage.platform.member(tenant, 'A manager', ['*'], place);
    expect(await seen(manager)).toEqual([403, 403, undefined]);
    const { body: role } = await tenant.api.post<{ id: string }>('/api/admin/roles', {
      name: 'Reader of own leads',
      permissions: ['scorecards:read', 'leads:read@workspace'],
    });
    const reader = await stage.platform.member(tenant, 'A reader', ['*'], { ...place, roles: [role.id] });
    expect(await seen(reader.api)).toEqual([404, 200, 0]);
  });

  it('are not those of other tenants', async () => {
    const [tenant, other] = [await oldTenant(), await oldTenant()];
    await recorded(tenant, [leads(8)]);
    expect(await historyOf(other.api, 'new_leads')).toMatchObject({ recordedDays: 0 });
  });

  it('are refused for unknown metrics and invalid spans', async () => {
    const { api } = await stage.platform.tenant();
    expect(await api.get(`${METRICS}/win_rat/history`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const wrong = await api.get(`${METRICS}/win_rate/history?from=2026-02-01&to=2026-01-01`);
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ parameter: 'from', code: 'out_of_range' }] } });
    const long = await api.get(`${METRICS}/win_rate/history?from=2020-02-01`);
    expect(long).toMatchObject({ status: 400, body: { errors: [{ parameter: 'from', code: 'out_of_range' }] } });
  });
});
