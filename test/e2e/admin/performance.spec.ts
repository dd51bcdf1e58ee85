import pg from 'pg';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Performance } from '#src/areas/service-levels/performance/performance.dto.js';
import { asAdmin, createTestDatabase } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, makeDeal } from '../sales/deal-calls.js';

const PATH = '/api/admin/performance';
const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const sql = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  asAdmin<R>(platform.database, text, values);
async function read({ api }: TestTenant, query = ''): Promise<Performance> {
  const { status, body, text } = await api.get<Performance>(`${PATH}${query}`);
  if (status !== 200) throw new Error(text);
  return body;
}

interface Minute {
  agoMs: number;
  route?: string;
  c2xx?: number;
  c5xx?: number;
  maxMs?: number | null;
}

/** Responses of a minute through another process; all took between 250 and 500 ms. */
async function responses({ id }: TestTenant, { agoMs, route = DEALS, c2xx = 0, c5xx = 0, maxMs = 400 }: Minute) {
  const atMs = Math.floor((platform.clock.nowMs() - agoMs) / MINUTE_MS) * MINUTE_MS;
  const latency = `{0,0,0,0,0,0,${c2xx + c5xx},0,0,0,0,0}`;
  await sql(
    `insert into data.request_stats_minute (tenant_id, minute, process_id, revision, route, method, credential_kind,
       credential_id, count, c2xx, c4xx, c429, c5xx, latency, bytes_out, max_ms)
     values ($1, $2, $3, 1, $4, 'GET', 'api_key', $3, $5::bigint + $6, $5, 0, 0, $6, $7, 0, $8)`,
    [id, new Date(atMs).toISOString(), uuidv7(), route, c2xx, c5xx, latency, maxMs],
  );
}

/** A tenant that is older than all windows, during which the API was up. */
async function oldTenant(): Promise<TestTenant> {
  const tenant = await platform.tenant();
  const since = new Date(platform.clock.nowMs() - 10 * 86_400_000).toISOString();
  await sql(`update directory.tenants set created_at = $2 where id = $1`, [tenant.id, since]);
  return tenant;
}

describe('the requests', () => {
  it('are those of the tenant, without the one that asks', async () => {
    const [tenant, other] = [await platform.tenant(), await platform.tenant()];
    await makeDeal(other.api);
    expect(await read(tenant)).toMatchObject({
      scope: 'tenant',
      http: { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null, rateLimited: 0, inFlight: 0 },
      routes: [],
    });
    await makeDeal(tenant.api);
    await tenant.api.get(`${DEALS}/${uuidv7()}`);
    const { http, routes } = await read(tenant, `?route=${DEALS}/:id`);
    expect(http).toMatchObject({ count: 1, byStatusClass: { c2xx: 0, c4xx: 1, c5xx: 0 } });
    expect(http.maxMs).toBeGreaterThan(0);
    expect(routes).toMatchObject([{ method: 'GET', route: `${DEALS}/:id`, count: 1, errorRate: 0 }]);
    const all = await read(tenant);
    expect(all.routes.map(({ route }) => route)).toContain(PATH); // the earlier ones
  });

  it('have the percentiles and the longest time of all processes in the window', async () => {
    const tenant = await oldTenant();
    await responses(tenant, { agoMs: 2 * MINUTE_MS, c2xx: 99, c5xx: 1, maxMs: 420 });
    await responses(tenant, { agoMs: 30 * MINUTE_MS, c2xx: 100, maxMs: 480 });
    await responses(tenant, { agoMs: 26 * 3_600_000, c2xx: 50 });
    const short = await read(tenant, '?window=5m');
    expect(short.http).toMatchObject({ count: 100, p50Ms: 375, p95Ms: 420, maxMs: 420 });
    expect(short.routes).toMatchObject([{ count: 100, errorRate: 0.01 }]);
    expect((await read(tenant, `?window=1h&route=${DEALS}`)).http).toMatchObject({ count: 200, maxMs: 480 });
    expect((await read(tenant, `?window=24h&route=${DEALS}`)).http).toMatchObject({ count: 200 });
    expect((await read(tenant, `?window=7d&route=${DEALS}`)).http).toMatchObject({ count: 250 });
  });

  it('through the process that answers are counted with scope=process', async () => {
    const tenant = await oldTenant();
    await responses(tenant, { agoMs: 0, c2xx: 7 });
    expect((await read(tenant, `?route=${DEALS}`)).http.count).toBe(7);
    await tenant.api.get(DEALS);
    const own = await read(tenant, `?route=${DEALS}&scope=process`);
    expect(own).toMatchObject({ scope: 'process', http: { count: 1 } });
    expect(Date.parse(own.period.from)).toBeGreaterThan(platform.clock.nowMs() - 60 * MINUTE_MS);
  });

  it('are sorted by latency, number or errors', async () => {
    const tenant = await platform.tenant();
    await responses(tenant, { agoMs: 0, route: '/many', c2xx: 50 });
    await responses(tenant, { agoMs: 0, route: '/broken', c2xx: 10, c5xx: 5 });
    const first = async (sort: string) => (await read(tenant, `?sort=${sort}`)).routes[0]!.route;
    expect([await first('count'), await first('errors')]).toEqual(['/many', '/broken']);
    const p95s = (await read(tenant, '?sort=p95')).routes.map(({ p95Ms }) => p95Ms!);
    expect(p95s).toEqual(p95s.toSorted((a, b) => b - a));
  });

  it('have no longest time if it was not recorded for all of them', async () => {
    const tenant = await platform.tenant();
    await responses(tenant, { agoMs: 0, c2xx: 5, maxMs: null });
    const { http, unavailable } = await read(tenant);
    expect(http).toMatchObject({ count: 5, maxMs: null });
    expect(unavailable).toContainEqual({ figure: 'http.maxMs', reason: 'not_recorded' });
  });
});

it('says how much of the period is covered, and computes rates for that', async () => {
  const tenant = await oldTenant();
  const nowMs = platform.clock.nowMs();
  const since = Math.floor((nowMs - 30 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
  await sql(`delete from directory.process_coverage`);
  await sql(`insert into directory.process_coverage (process_id, from_at, to_at) values ($1, $2, $3)`, [
    uuidv7(),
    new Date(since).toISOString(),
    new Date(nowMs).toISOString(),
  ]);
  await responses(tenant, { agoMs: 3 * MINUTE_MS, c2xx: 90 });
  const { period, http } = await read(tenant);
  expect(period.coveragePercent).toBeCloseTo((100 * 31) / 61, 2);
  expect(http.rps).toBeCloseTo(90 / ((nowMs - since) / 1_000), 2);
});

describe('process, database and workers', () => {
  it('are measured', async () => {
    const tenant = await platform.tenant();
    await makeDeal(tenant.api);
    const { process: own, database, worker, unavailable } = await read(tenant);
    expect(own).toMatchObject({ version: '1.0.0', cpuPercent: expect.any(Number) as number });
    expect(own.memory.rssBytes).toBeGreaterThan(own.memory.heapUsedBytes);
    expect(database.pool.total).toBeGreaterThan(0);
    expect(database.queryP95Ms).toBeGreaterThanOrEqual(database.queryP50Ms!);
    expect(database.queryP50Ms).toBeGreaterThan(0);
    expect(database.sizeBytes).toBeGreaterThan(1_000_000);
    expect(database.cacheHitRatio).toBeGreaterThan(0);
    expect(worker).toEqual({
      present: false,
      ...{ relaySeconds: null, sealingSeconds: null, mailSeconds: null, measuredAt: null },
    });
    expect(database).toMatchObject({ slowest: null, slowestSince: null, replicationLagSeconds: null });
    expect(unavailable).toEqual(
      expect.arrayContaining([
        { figure: 'database.replicationLagSeconds', reason: 'no_replica' },
        { figure: 'database.slowest', reason: 'extension_missing' },
        { figure: 'queues.automations.active', reason: 'not_recorded' },
      ]),
    );
  });

  it('show the longest transaction of API processes', async () => {
    const tenant = await platform.tenant();
    const held = new pg.Client({ connectionString: platform.database.appUrl });
    await held.connect();
    await held.query('begin');
    await held.query('select pg_sleep(0.3)');
    const { database: shown } = await read(tenant);
    expect(shown.longestTransactionSeconds).toBeGreaterThan(0.25);
    await held.end();
  });
});

describe('the slowest statements', () => {
  it('are those of the API, without values', async () => {
    const database = await createTestDatabase();
    await asAdmin(database, 'create extension pg_stat_statements', []);
    const name = new URL(database.adminUrl).pathname.slice(1);
    await asAdmin(database, `alter database ${name} set pg_stat_statements.track = 'top'`, []);
    const own = await startPlatform({ shared: database });
    try {
      const tenant = await own.tenant();
      await makeDeal(tenant.api, { name: 'a secret name' });
      await asAdmin(database, 'select pg_sleep(0.2)', []); // by another role
      const { database: shown, unavailable } = await read(tenant);
      expect(shown.slowest!.length).toBeGreaterThan(3);
      expect(Date.parse(shown.slowestSince!)).toBeGreaterThan(0);
      const means = shown.slowest!.map(({ meanMs }) => meanMs);
      expect(means).toEqual(means.toSorted((a, b) => b - a));
      for (const { statement, calls, meanMs, maxMs } of shown.slowest!) {
        expect(statement).toMatch(/^(select|insert|update|delete|with|merge)\b/i);
        expect(statement).not.toMatch(/secret|pg_sleep/);
        expect(statement).not.toContain(tenant.id);
        expect(calls).toBeGreaterThan(0);
        expect(maxMs).toBeGreaterThanOrEqual(meanMs);
      }
      expect(unavailable.map(({ figure }) => figure)).not.toContain('database.slowest');
    } finally {
      await own.close();
      await database.drop();
    }
  });
});

it('the queues are those of the tenant', async () => {
  const [tenant, other] = [await platform.tenant(), await platform.tenant()];
  await act(other.api, (await makeDeal(other.api)).id, 'win');
  const empty = { waiting: 0, delayed: 0, failed: 0, oldestSeconds: null, processedLastHour: 0, p95Ms: null };
  const queues = async () => (await read(tenant)).queues;
  expect(await queues()).toEqual([
    { name: 'webhooks', ...empty, active: 0 },
    { name: 'automations', ...empty, active: null },
    { name: 'ai_jobs', ...empty, active: 0 },
    { name: 'jobs', ...empty, active: 0 },
  ]);
  const agoMs = (ms: number) => new Date(platform.clock.nowMs() - ms).toISOString();
  const run = `insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at, finished_at, error_code)
    values ($1, 'test', $2, $3, $4, $4, $5, $6)`;
  await sql(run, [tenant.id, 'a', 'ready', agoMs(120_000), null, null]);
  await sql(run, [tenant.id, 'b', 'waiting', agoMs(-120_000), null, null]);
  await sql(run, [tenant.id, 'c', 'done', agoMs(10_000), agoMs(9_000), null]);
  await sql(run, [tenant.id, 'd', 'failed', agoMs(10_000), agoMs(9_000), 'internal']);
  const [, automations] = await queues();
  expect(automations).toMatchObject({ waiting: 1, delayed: 1, failed: 1, processedLastHour: 2, p95Ms: 1_000 });
  expect(automations!.oldestSeconds).toBeGreaterThanOrEqual(120);
});

it.each(['window=2h', 'sort=p50', 'scope=all', 'route='])('refuses ?%s', async (query) => {
  const { api } = await platform.tenant();
  expect(await api.get(`${PATH}?${query}`)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
});
