import { jest } from '@jest/globals';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { Database } from '#libs/database/database.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const SLO = '/api/admin/slo';
const DEALS = '/api/v1/sales/deals';

interface Slo {
  id: string;
  key: string;
  version: number;
  status: string;
  good: number;
  total: number;
  sliPercent: number | null;
  burnRates: Record<string, number | null>;
  budgetUsedPercent: number | null;
  series?: { at: string; good: number; total: number }[];
  [field: string]: unknown;
}
interface Reconciled {
  results: { sloId: string; before: object; after: object; drift: object; corrected: boolean }[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

const slosOf = async ({ api }: TestTenant, query = '') => (await api.get<{ data: Slo[] }>(`${SLO}${query}`)).body.data;
const sloOf = async (tenant: TestTenant, key: string) => (await slosOf(tenant, `?key=${key}`))[0]!;
const change = ({ api }: TestTenant, body: object) => api.patch<{ data: Slo[]; errors: object[] }>(SLO, body);
const sql = <R extends Record<string, unknown>>(text: string, values: unknown[]) =>
  asAdmin<R>(platform.database, text, values);

/** Requests of a minute in the past: `fast` of the good ones took up to 5 ms, the others up to 10 s. */
async function requests(tenant: TestTenant, agoMs: number, { fast = 0, slow = 0, bad = 0, route = DEALS }) {
  const atMs = Math.floor((platform.clock.nowMs() - agoMs) / MINUTE_MS) * MINUTE_MS;
  const latency = `{${[fast, ...Array<number>(9).fill(0), slow, 0].join(',')}}`;
  const values = [tenant.id, new Date(atMs).toISOString(), uuidv7(), fast + slow, bad, latency];
  await sql(
    `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad, good_latency)
     values ($1, $2, $3, 1, $4, $5, $6)`,
    values,
  );
  const table = agoMs > 14 * DAY_MS ? 'hour' : 'minute';
  await sql(
    table === 'minute'
      ? `insert into data.request_stats_minute (tenant_id, minute, process_id, revision, good, bad, good_latency, route,
           method, credential_kind, credential_id, count, c2xx, c4xx, c429, c5xx, latency, bytes_out)
         values ($1, $2, $3, 1, $4, $5, $6, $7, 'GET', 'api_key', $3, $4::bigint + $5, $4, 0, 0, $5, $6, 0)`
      : `insert into data.request_stats_hour (tenant_id, hour, credential_id, good, bad, good_latency, route,
           method, credential_kind, count, c2xx, c4xx, c429, c5xx, latency, bytes_out)
         values ($1, date_trunc('hour', $2::timestamptz), $3, $4, $5, $6, $7, 'GET', 'api_key', $4::bigint + $5, $4, 0, 0,
           $5, $6, 0)`,
    [...values, route],
  );
}

/** Sends requests of which some fail with 500. */
async function burst(tenant: TestTenant, good: number, bad: number): Promise<void> {
  for (let i = 0; i < good; i++) expect((await tenant.api.get(DEALS)).status).toBe(200);
  const read = jest.spyOn(platform.app.get(Database), 'read');
  for (let i = 0; i < bad; i++) {
    read.mockRejectedValueOnce(new Error('broken'));
    expect((await tenant.api.get(DEALS)).status).toBe(500);
  }
  read.mockRestore();
}

describe('the objectives of a new tenant', () => {
  it('are the defaults, without data', async () => {
    const tenant = await platform.tenant();
    const slos = await slosOf(tenant);
    expect(
      slos.map(({ key, objectivePercent, windowDays, status }) => [key, objectivePercent, windowDays, status]),
    ).toEqual([
      ['api_availability', 99.9, 30, 'no_data'],
      ['api_latency', 95, 30, 'no_data'],
      ['webhook_delivery', 99, 30, 'no_data'],
    ]);
    expect(slos[1]).toMatchObject({ indicator: { kind: 'latency', routePattern: null, thresholdMs: 500 }, version: 1 });
    expect(slos[0]).toMatchObject({ sliPercent: null, budgetUsedPercent: null, burnRates: { '5m': null } });
    expect((await slosOf(tenant)).map(({ id }) => id)).toEqual(slos.map(({ id }) => id));
  });

  it('differ from those of another tenant', async () => {
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    expect((await sloOf(one, 'api_latency')).id).not.toBe((await sloOf(other, 'api_latency')).id);
    const foreign = await change(one, { id: (await sloOf(other, 'api_latency')).id, objectivePercent: 90 });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('figures', () => {
  it('count good and bad requests exactly, without the one that asks', async () => {
    const tenant = await platform.tenant();
    await burst(tenant, 3, 1);
    await tenant.api.get(`${DEALS}/${uuidv7()}`); // 404 is not a valid event
    expect(await sloOf(tenant, 'api_availability')).toMatchObject({
      good: 3,
      total: 4,
      sliPercent: 75,
      status: 'exhausted',
    });
    expect(await sloOf(tenant, 'api_availability')).toMatchObject({ good: 4, total: 5, sliPercent: 80 });
  });

  it('read a latency from the histogram, and count failures as too slow', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, HOUR_MS, { fast: 90, slow: 6, bad: 4 });
    expect(await sloOf(tenant, 'api_latency')).toMatchObject({ good: 90, total: 100, sliPercent: 90 });
  });

  it('cover the window, from minutes and from hours', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, 31 * DAY_MS, { fast: 1_000 });
    await requests(tenant, 20 * DAY_MS, { fast: 100 });
    await requests(tenant, 3 * HOUR_MS, { fast: 9, bad: 1 });
    await requests(tenant, 0, { fast: 10, route: '/api/v1/work/tasks' });
    await change(tenant, {
      key: 'deals',
      indicator: { kind: 'availability', routePattern: `${DEALS}*` },
      objectivePercent: 99,
      windowDays: 90,
    });
    const [whole, deals] = [await sloOf(tenant, 'api_availability'), await sloOf(tenant, 'deals')];
    expect([whole.total, whole.good]).toEqual([121, 120]); // with the change of this test
    expect([deals.total, deals.good]).toEqual([1_110, 1_109]);
    expect(whole.burnRates['6h']).toBeCloseTo(1_000 / 21, 2);
  });

  it('show the counts over time', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, 3 * DAY_MS, { fast: 5, bad: 1 });
    const [{ series = [] } = {}] = await slosOf(tenant, '?key=api_availability&include=series&granularity=day');
    expect(series).toEqual([
      {
        at: `${new Date(platform.clock.nowMs() - 3 * DAY_MS).toISOString().slice(0, 10)}T00:00:00.000Z`,
        good: 5,
        total: 6,
      },
    ]);
  });
});

describe('a burst of 5xx', () => {
  it('moves the status to burning_fast', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, 5 * DAY_MS, { fast: 100_000 });
    expect(await sloOf(tenant, 'api_availability')).toMatchObject({ status: 'healthy' });
    await burst(tenant, 90, 20);
    const slo = await sloOf(tenant, 'api_availability');
    expect(slo).toMatchObject({ status: 'burning_fast' });
    expect(slo['projectedExhaustionAt']).not.toBeNull();
    expect((await slosOf(tenant, '?status=burning_fast')).map(({ key }) => key)).toEqual(['api_availability']);
    platform.clock.advance(7 * HOUR_MS);
    expect((await sloOf(tenant, 'api_availability')).status).not.toBe('burning_fast');
  });
});

describe('webhook deliveries and AI jobs', () => {
  it('are good if they arrive within five minutes, and count once that is decided', async () => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post<{ id: string }>('/api/webhooks/endpoints', {
      url: 'http://127.0.0.1:9/',
      eventTypes: ['*'],
    });
    const add = (agoMinutes: number, tookMinutes: number | null, status: string) =>
      sql(
        `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
           subject_type, subject_id, sequence, status, created_at, delivered_at)
         select $1, $2, $3, $4, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, $5, at, at + $7::float8 * interval '1 minute'
         from (select $8::timestamptz - $6::float8 * interval '1 minute' as at) t`,
        [
          tenant.id,
          uuidv7(),
          uuidv7(),
          answer.body.id,
          status,
          agoMinutes,
          tookMinutes,
          platform.clock.now().toISOString(),
        ],
      );
    await add(30, 1, 'delivered');
    await add(30, 6, 'delivered');
    await add(30, null, 'exhausted');
    await add(30, null, 'held');
    await add(2, null, 'retrying');
    expect(await sloOf(tenant, 'webhook_delivery')).toMatchObject({ good: 1, total: 3 });
    platform.clock.advance(4 * MINUTE_MS);
    expect(await sloOf(tenant, 'webhook_delivery')).toMatchObject({ good: 1, total: 4 });
  });

  it('count AI jobs that succeeded or failed', async () => {
    const tenant = await platform.tenant();
    const body = { key: 'ai', name: 'AI', indicator: { kind: 'ai_success' }, objectivePercent: 90 };
    expect((await change(tenant, body)).body.data[0]).toMatchObject({ status: 'no_data', total: 0 });
  });
});

describe('changing objectives', () => {
  it('changes a default, with an audit entry and an event', async () => {
    const tenant = await platform.tenant();
    const { id } = await sloOf(tenant, 'api_availability');
    const changed = await change(tenant, { key: 'api_availability', objectivePercent: 99.95 });
    expect(changed.body.data).toMatchObject([{ id, version: 2, objectivePercent: 99.95, name: 'API availability' }]);
    expect((await slosOf(tenant)).map(({ key }) => key)).toEqual([
      'api_availability',
      'api_latency',
      'webhook_delivery',
    ]);
    const entries = await sql<{ action: string }>(
      `select action from data.audit_log where tenant_id = $1 and action like 'observability.%'`,
      [tenant.id],
    );
    expect(entries).toEqual([{ action: 'observability.slo.updated' }]);
    const same = await change(tenant, { key: 'api_availability', objectivePercent: 99.95 });
    expect(same.body.data).toMatchObject([{ version: 2 }]);
  });

  it('changes several at once or none', async () => {
    const tenant = await platform.tenant();
    const indicator = { kind: 'availability' };
    const refused = await change(tenant, {
      slos: [
        { key: 'new', indicator, objectivePercent: 99 },
        { key: 'api_latency', windowDays: 31 },
      ],
    });
    expect(refused.body.errors).toMatchObject([{ pointer: '/slos/1/windowDays', code: 'invalid_value' }]);
    const done = await change(tenant, {
      slos: [
        { key: 'new', indicator, objectivePercent: 99, archived: true },
        { key: 'api_latency', name: 'Latency' },
      ],
    });
    expect(done.body.data).toMatchObject([{ version: 1 }, { version: 2, name: 'Latency' }]);
    expect((await slosOf(tenant)).map(({ key }) => key)).not.toContain('new');
    await change(tenant, { key: 'new', archived: false });
    expect((await slosOf(tenant)).map(({ key }) => key)).toContain('new');
  });

  it('refuses an objective that occurs twice, by its key or id', async () => {
    const tenant = await platform.tenant();
    const { id, key, version } = await sloOf(tenant, 'api_latency');
    const terms = { key: 'new', indicator: { kind: 'availability' }, objectivePercent: 99 };
    const named = { name: 'Twice' };
    for (const [slos, pointer] of [
      [
        [
          { key, ...named },
          { key, name: 'Again' },
        ],
        '/slos/1/key',
      ],
      [[{ key, ...named }, terms, { id, name: 'Again' }], '/slos/2/id'],
      [[terms, terms], '/slos/1/key'],
    ] as const)
      expect(await change(tenant, { slos })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer, code: 'not_unique' }] },
      });
    expect((await sloOf(tenant, key)).version).toBe(version);
    expect(await slosOf(tenant, '?key=new')).toEqual([]);
  });

  it('never changes the figures of others', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, 2 * DAY_MS, { fast: 10, slow: 10 });
    const before = await sloOf(tenant, 'api_availability');
    await change(tenant, { key: 'api_latency', indicator: { kind: 'latency', thresholdMs: 10_000 } });
    expect(await sloOf(tenant, 'api_latency')).toMatchObject({ good: 22 });
    await change(tenant, { key: 'api_latency', archived: true });
    expect((await sloOf(tenant, 'api_availability')).total).toBe(before.total + 4);
  });

  it.each([
    [
      'a latency without a bound of the histogram',
      { indicator: { kind: 'latency', thresholdMs: 300 } },
      '/indicator/thresholdMs',
      'not_a_histogram_bound',
    ],
    ['a latency without a threshold', { indicator: { kind: 'latency' } }, '/indicator/thresholdMs', 'required'],
    [
      'an availability with a threshold',
      { indicator: { kind: 'availability', thresholdMs: 5 } },
      '/indicator/thresholdMs',
      'not_applicable',
    ],
    [
      'a delivery with routes',
      { indicator: { kind: 'webhook_delivery', routePattern: '/api' } },
      '/indicator/routePattern',
      'not_applicable',
    ],
    ['an unknown kind', { indicator: { kind: 'freshness' } }, '/indicator/kind', 'invalid_value'],
    ['too many decimals', { objectivePercent: 99.9995 }, '/objectivePercent', 'out_of_range'],
    ['a fourth decimal', { objectivePercent: 99.9123 }, '/objectivePercent', 'too_precise'],
    ['another window', { windowDays: 14 }, '/windowDays', 'invalid_value'],
    ['an unknown owner', { ownerId: uuidv7() }, '/ownerId', 'unknown_reference'],
    ['a field beside a list', { slos: [{ key: 'api_latency' }] }, '/key', 'not_together'],
  ])('refuses %s', async (_title, fields, pointer, code) => {
    const tenant = await platform.tenant();
    const answer = await change(tenant, { key: 'api_availability', ...fields });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });

  it('refuses a new objective without its terms, and one without a name', async () => {
    const tenant = await platform.tenant();
    expect((await change(tenant, { key: 'new' })).body.errors).toMatchObject([
      { pointer: '/indicator', code: 'required' },
      { pointer: '/objectivePercent', code: 'required' },
    ]);
    expect((await change(tenant, {})).body.errors).toMatchObject([{ pointer: '/key', code: 'required' }]);
  });

  it('replays its response', async () => {
    const tenant = await platform.tenant();
    const send = () =>
      tenant.api.patch(SLO, { key: 'api_latency', objectivePercent: 90 }, { 'idempotency-key': 'change-1' });
    const first = await send();
    expect((await send()).body).toEqual(first.body);
  });
});

describe('reconciling', () => {
  it('corrects running counters, and finds no difference the second time', async () => {
    const tenant = await platform.tenant();
    await requests(tenant, 2 * DAY_MS, { fast: 100, bad: 1 });
    const { id } = await sloOf(tenant, 'api_availability');
    await sql(`update data.slo_counts set good = good + 7 where tenant_id = $1 and slo_id = $2 and grain = 'hour'`, [
      tenant.id,
      id,
    ]);
    await requests(tenant, 3 * DAY_MS, { fast: 50 }); // written too late to be counted
    expect((await sloOf(tenant, 'api_availability')).good).toBeGreaterThanOrEqual(107);
    const first = await tenant.api.post<Reconciled>(`${SLO}/reconcile`, { sloIds: [id] });
    expect(first.status).toBe(200);
    expect(first.body.results).toMatchObject([{ sloId: id, drift: { good: 43, total: 43 }, corrected: true }]);
    const second = await tenant.api.post<Reconciled>(`${SLO}/reconcile`, { sloIds: [id] });
    expect(second.body.results).toMatchObject([{ drift: { good: 0, total: 0 }, corrected: false }]);
    const [entry] = await sql<{ n: number }>(
      `select count(*)::int as n from data.audit_log where tenant_id = $1 and action = 'observability.slo.reconciled'`,
      [tenant.id],
    );
    expect(entry).toEqual({ n: 2 });
  });

  it('finds nothing where nothing drifted', async () => {
    const tenant = await platform.tenant();
    await burst(tenant, 5, 2);
    await platform.app.get(RequestAccounts).flush();
    const { body } = await tenant.api.post<Reconciled>(`${SLO}/reconcile`);
    expect(body.results).toHaveLength(3);
    for (const result of body.results) expect(result).toMatchObject({ drift: { good: 0, total: 0 }, corrected: false });
  });

  it.each([
    ['an unknown objective', { sloIds: [uuidv7()] }, '/sloIds/0', 'unknown_reference'],
    ['the future', { to: '2999-01-01T00:00:00Z' }, '/to', 'out_of_range'],
    [
      'a span that ends before it begins',
      { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' },
      '/from',
      'out_of_range',
    ],
  ])('refuses %s', async (_title, body, pointer, code) => {
    const tenant = await platform.tenant();
    const answer = await tenant.api.post(`${SLO}/reconcile`, body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });
});
