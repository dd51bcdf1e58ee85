import { jest } from '@jest/globals';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { Database } from '#libs/database/database.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const QUERY = '/api/observability/query';
const DEALS = '/api/v1/sales/deals';

interface Figures {
  requests: number;
  succeeded: number;
  errors4xx: number;
  errors5xx: number;
  errorPercent: number | null;
  p95Ms: number | null;
}
interface Measured {
  from: string;
  to: string;
  coverage: { uncoveredMinutes: number; coveredPercent: number | null };
  total: Figures;
  groups: (Figures & { group: string; name: string | null; uncoveredMinutes: number | null })[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

async function measure(api: Client, question: object = {}): Promise<Measured> {
  const { status, body } = await api.post<Measured>(QUERY, question);
  expect(status).toBe(200);
  return body;
}

/** Requests of a minute in the past, all answered with 200 within 5 ms, or with 500 within 50. */
async function requests({ id }: TestTenant, agoMs: number, good: number, bad = 0, route = DEALS): Promise<void> {
  const at = new Date(Math.floor((platform.clock.nowMs() - agoMs) / MINUTE_MS) * MINUTE_MS).toISOString();
  await asAdmin(
    platform.database,
    `insert into data.request_stats_minute (tenant_id, minute, process_id, revision, route, method, credential_kind,
       credential_id, count, c2xx, c4xx, c429, c5xx, latency, bytes_out)
     values ($1, $2, $3, 1, $4, 'GET', 'session', $3, $5::bigint + $6::bigint, $5, 0, 0, $6,
       array[$5::bigint, 0, 0, $6::bigint, 0, 0, 0, 0, 0, 0, 0, 0], 100)`,
    [id, at, uuidv7(), route, good, bad],
  );
}

const created = ({ id }: TestTenant, atMs: number) =>
  asAdmin(platform.database, 'update directory.tenants set created_at = $2 where id = $1', [
    id,
    new Date(atMs).toISOString(),
  ]);

describe('requests', () => {
  it('are counted by class, exactly, without the one that asks', async () => {
    const tenant = await platform.tenant();
    for (let i = 0; i < 3; i++) await tenant.api.get(DEALS);
    await tenant.api.get(`${DEALS}/${uuidv7()}`);
    jest.spyOn(platform.app.get(Database), 'read').mockRejectedValueOnce(new Error('broken'));
    expect((await tenant.api.get(DEALS)).status).toBe(500);
    const { total } = await measure(tenant.api);
    expect(total).toMatchObject({ requests: 5, succeeded: 3, errors4xx: 1, errors5xx: 1, errorPercent: 20 });
    expect((await measure(tenant.api)).total.requests).toBe(6);
  });

  it('are grouped by route, area and credential, the busiest first', async () => {
    const tenant = await platform.tenant();
    const reader = await platform.key(tenant, ['deals:read', 'leads:read']);
    for (let i = 0; i < 3; i++) await reader.get(DEALS);
    await tenant.api.get('/api/v1/sales/leads');
    await tenant.api.get('/api/admin/settings');
    await requests(tenant, MINUTE_MS, 9, 0, '/api/v1/work/tasks');
    const groups = async (groupBy: string) =>
      (await measure(tenant.api, { groupBy })).groups.map(({ group, name, requests: n }) => [name ?? group, n]);
    expect(await groups('route')).toEqual([
      ['GET /api/v1/work/tasks', 9],
      [`GET ${DEALS}`, 3],
      ['GET /api/admin/settings', 1],
      ['GET /api/v1/sales/leads', 1],
    ]);
    expect(await groups('area')).toEqual([
      ['work', 9],
      ['sales', 4],
      ['admin', 1],
      ['observability', 1],
    ]);
    const byCredential = await groups('credential');
    expect(byCredential.map(([, n]) => n)).toEqual([9, 4, 3]);
    expect(byCredential[0]).toEqual(['session', 9]);
  });

  it('can be limited to a route', async () => {
    const tenant = await platform.tenant();
    for (const path of [DEALS, DEALS, '/api/v1/sales/leads']) await tenant.api.get(path);
    expect((await measure(tenant.api, { route: DEALS })).total.requests).toBe(2);
    expect((await measure(tenant.api, { route: '/api/v1/work/tasks' })).total).toMatchObject({
      requests: 0,
      errorPercent: null,
      p95Ms: null,
    });
  });

  it('are shown for every minute of a short span, and every hour of a long one', async () => {
    const tenant = await platform.tenant();
    const now = Math.floor(platform.clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    const iso = (ms: number) => new Date(ms).toISOString();
    await requests(tenant, 10 * MINUTE_MS, 95, 5);
    const short = await measure(tenant.api, { from: iso(now - 12 * MINUTE_MS), to: iso(now - 8 * MINUTE_MS) });
    expect(short.groups.map(({ group, requests: n }) => [group, n])).toEqual([
      [iso(now - 12 * MINUTE_MS), 0],
      [iso(now - 11 * MINUTE_MS), 0],
      [iso(now - 10 * MINUTE_MS), 100],
      [iso(now - 9 * MINUTE_MS), 0],
    ]);
    expect(short.groups[2]).toMatchObject({ errors5xx: 5, errorPercent: 5, p95Ms: 5 });
    await requests(tenant, 3 * DAY_MS, 7);
    const long = await measure(tenant.api, { from: iso(now - 4 * DAY_MS), to: iso(now) });
    expect(long.total.requests).toBe(107);
    const hour = iso(Math.floor((now - 3 * DAY_MS) / HOUR_MS) * HOUR_MS);
    expect(long.groups.find(({ group }) => group === hour)).toMatchObject({ requests: 7 });
    expect(new Set(long.groups.map(({ group }) => group)).size).toBe(long.groups.length);
  });

  it('are joined by those that were rolled up into hours', async () => {
    const tenant = await platform.tenant();
    const hour = Math.floor((platform.clock.nowMs() - 20 * DAY_MS) / HOUR_MS) * HOUR_MS;
    await asAdmin(
      platform.database,
      `insert into data.request_stats_hour (tenant_id, hour, route, method, credential_kind, credential_id, count, c2xx,
         c4xx, c429, c5xx, latency, bytes_out)
       values ($1, $2, $3, 'GET', 'api_key', $4, 8, 8, 0, 0, 0, '{8,0,0,0,0,0,0,0,0,0,0,0}', 1)`,
      [tenant.id, new Date(hour).toISOString(), DEALS, uuidv7()],
    );
    const from = new Date(hour + 20 * MINUTE_MS).toISOString();
    const to = new Date(hour + 50 * MINUTE_MS).toISOString();
    const measured = await measure(tenant.api, { from, to });
    expect([measured.from, measured.to]).toEqual([hour, hour + HOUR_MS].map((ms) => new Date(ms).toISOString()));
    expect(measured.total.requests).toBe(8);
  });

  it('come with the minutes in which no process was up', async () => {
    const tenant = await platform.tenant();
    await tenant.api.get(DEALS);
    await platform.app.get(RequestAccounts).flush();
    const start = Math.floor(platform.clock.nowMs() / HOUR_MS) * HOUR_MS - 2_000 * DAY_MS;
    await asAdmin(
      platform.database,
      `insert into directory.process_coverage (process_id, from_at, to_at) values ($1, $2, $3)`,
      [uuidv7(), new Date(start).toISOString(), new Date(start + 2.5 * MINUTE_MS).toISOString()],
    );
    await created(tenant, start - DAY_MS);
    const question = { from: new Date(start).toISOString(), to: new Date(start + 60 * MINUTE_MS).toISOString() };
    const { coverage, groups } = await measure(tenant.api, question);
    expect(coverage).toEqual({ uncoveredMinutes: 57, coveredPercent: 5 });
    expect(groups.reduce((sum, { uncoveredMinutes }) => sum + uncoveredMinutes!, 0)).toBe(57);
  });

  it('are covered since the tenant was created', async () => {
    const tenant = await platform.tenant();
    const start = Math.floor(platform.clock.nowMs() / HOUR_MS) * HOUR_MS - 1_900 * DAY_MS;
    const iso = (minutes: number) => new Date(start + minutes * MINUTE_MS).toISOString();
    await created(tenant, start + 30 * MINUTE_MS);
    const { coverage, groups } = await measure(tenant.api, { from: iso(0), to: iso(120) });
    expect(coverage).toEqual({ uncoveredMinutes: 90, coveredPercent: 0 });
    expect([groups[29]!.uncoveredMinutes, groups[30]!.uncoveredMinutes]).toEqual([0, 1]);
    const before = await measure(tenant.api, { from: iso(-60), to: iso(0) });
    expect(before.coverage).toEqual({ uncoveredMinutes: 0, coveredPercent: null });
    await platform.app.get(RequestAccounts).flush(); // notes that the process is up in this minute, if it ends now
    const young = await platform.tenant();
    expect((await measure(young.api)).coverage).toEqual({ uncoveredMinutes: 0, coveredPercent: 100 });
  });

  it('are not those of other tenants', async () => {
    const [tenant, other] = [await platform.tenant(), await platform.tenant()];
    await requests(tenant, MINUTE_MS, 9);
    expect((await measure(other.api)).total.requests).toBe(0);
  });

  it.each([
    ['an empty span', { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, '/from', 'out_of_range'],
    ['a span that ends in the future', { to: '8999-01-01T00:00:00Z' }, '/to', 'out_of_range'],
    ['a long span', { from: '2026-01-01T00:00:00Z', to: '2026-03-02T00:00:00Z' }, '/from', 'out_of_range'],
    ['an unknown grouping', { groupBy: 'country' }, '/groupBy', 'invalid_value'],
    ['a route that is no path', { route: 'deals' }, '/route', 'invalid_format'],
  ])('refuse %s', async (_title, body, pointer, code) => {
    const { api } = await platform.tenant();
    expect(await api.post(QUERY, body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });
});
