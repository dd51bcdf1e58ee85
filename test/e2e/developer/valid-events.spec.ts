import { connect } from 'node:net';
import { once } from 'node:events';
import { jest } from '@jest/globals';
import pg from 'pg';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { ServiceFigures } from '#libs/request-counts/service-figures.js';
import { Database } from '#libs/database/database.js';
import { MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { until } from '#libs/testing/until.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
let accounts: RequestAccounts;
beforeAll(async () => {
  platform = await startPlatform({ env: { MAX_REQUESTS: '50', CLIENT_TIMEOUT_SECONDS: '600' } });
  accounts = platform.app.get(RequestAccounts);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

function inScope<T>({ id, slug }: TestTenant, work: () => Promise<T>): Promise<T> {
  return runAsSystem({ id, slug, plan: 'enterprise', currency: 'USD', epoch: '0' }, 'test', uuidv7(), work);
}

/** The stored valid events of a tenant: in total, and added up over routes. */
async function eventsOf(tenant: TestTenant) {
  await accounts.flush();
  const figures = new ServiceFigures(platform.app.get(Database));
  const span = { fromMs: 0, toMs: platform.clock.nowMs() + MINUTE_MS };
  const minutes = await inScope(tenant, () => figures.byMinute(span));
  const [byRoute] = await asAdmin<{ good: number; bad: number; timed: number }>(
    platform.database,
    `select coalesce(sum(good), 0)::int as good, coalesce(sum(bad), 0)::int as bad,
       coalesce(sum((select sum(n) from unnest(good_latency) n)), 0)::int as timed
     from data.request_stats_minute where tenant_id = $1`,
    [tenant.id],
  );
  const total = { good: 0, bad: 0, timed: 0 };
  for (const { good, bad, latency } of minutes) {
    total.good += good;
    total.bad += bad;
    total.timed += latency.reduce((sum, count) => sum + count, 0);
  }
  expect(byRoute).toEqual(total);
  return total;
}

/** Makes the next reads of a tenant fail as if the database were gone. */
const failReads = () => jest.spyOn(platform.app.get(Database), 'read').mockRejectedValueOnce(new Error('broken'));

describe('a valid event', () => {
  it('is good below 400, and not valid if the caller is at fault', async () => {
    const tenant = await platform.tenant({ reads: 4 });
    await tenant.api.get(DEALS);
    await tenant.api.get(`${DEALS}/${uuidv7()}`); // 404
    await tenant.api.get(`${DEALS}?sort=nothing`); // 400
    const reader = await platform.key(tenant, ['leads:read']);
    await reader.get(DEALS); // 403
    expect((await tenant.api.get(DEALS)).status).toBe(429);
    const made = await tenant.api.post(DEALS, { name: 'One' }, { 'idempotency-key': 'once' });
    expect(made.status).toBe(201);
    await tenant.api.post(DEALS, { name: 'Two' }, { 'idempotency-key': 'once' }); // 422
    expect(await eventsOf(tenant)).toEqual({ good: 2, bad: 0, timed: 2 });
  });

  it('is bad if the service fails', async () => {
    const tenant = await platform.tenant();
    await tenant.api.get(DEALS);
    failReads();
    expect((await tenant.api.get(DEALS)).status).toBe(500);
    expect(await eventsOf(tenant)).toEqual({ good: 1, bad: 1, timed: 1 });
  });
});

describe('an overloaded service', () => {
  it('counts as bad for the tenant whose credential was read', async () => {
    const tenant = await platform.tenant();
    await tenant.api.get(DEALS);
    const admin = new pg.Client({ connectionString: platform.database.adminUrl });
    await admin.connect();
    await admin.query('begin; lock table data.sales_deals in access exclusive mode');
    const answers: number[] = [];
    const all = Promise.all(
      Array.from({ length: 30 }, () => tenant.api.get(DEALS).then(({ status }) => answers.push(status))),
    );
    await until(() => answers.length === 5);
    await admin.query('rollback');
    await admin.end();
    await all;
    expect(answers.filter((status) => status === 503)).toHaveLength(5);
    expect(await eventsOf(tenant)).toEqual({ good: 26, bad: 5, timed: 26 });
    const [row] = await asAdmin<{ count: number }>(
      platform.database,
      `select sum(counted)::int as count from data.request_days where tenant_id = $1`,
      [tenant.id],
    );
    expect(row).toEqual({ count: 26 }); // refused requests do not use the rate limit
  });
});

describe('a caller who leaves without a response', () => {
  it.each([
    ['has seen a failure after ten seconds', 10_500, 1],
    ['is not a valid event before', 500, 0],
  ])('%s', async (_title, waitedMs, bad) => {
    const tenant = await platform.tenant();
    await tenant.api.get(DEALS);
    const admin = new pg.Client({ connectionString: platform.database.adminUrl });
    await admin.connect();
    await admin.query('begin; lock table data.sales_deals in access exclusive mode');
    const abandoned = jest.spyOn(accounts, 'abandoned');
    const now = performance.now.bind(performance);
    const { hostname, port } = new URL(platform.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${DEALS} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${tenant.apiKey}\r\n\r\n`);
    await until(async () => {
      const { rows } = await admin.query('select 1 from pg_locks where not granted');
      return rows.length > 0;
    });
    jest.spyOn(performance, 'now').mockImplementation(() => now() + waitedMs);
    socket.destroy();
    await until(() => abandoned.mock.calls.length > 0);
    jest.restoreAllMocks();
    await admin.query('rollback');
    await admin.end();
    expect(await eventsOf(tenant)).toMatchObject({ good: 1, bad });
  });
});

describe('coverage', () => {
  it('lacks the minutes in which no process was up', async () => {
    const tenant = await platform.tenant();
    const startMs = Math.ceil(platform.clock.nowMs() / MINUTE_MS) * MINUTE_MS + 86_400_000;
    platform.clock.advance(startMs - platform.clock.nowMs() + 100);
    await accounts.flush();
    platform.clock.advance(30_000);
    await accounts.flush();
    platform.clock.advance(5 * MINUTE_MS);
    await accounts.flush();
    const coverage = new CoverageFigures(platform.app.get(Database));
    const uncovered = await inScope(tenant, () =>
      coverage.uncovered({ fromMs: startMs, toMs: startMs + 7 * MINUTE_MS }),
    );
    expect([...uncovered].map((ms) => (ms - startMs) / MINUTE_MS)).toEqual([1, 2, 3, 4, 6]);
  });
});
