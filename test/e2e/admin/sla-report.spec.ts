import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { monthOf, spanOfMonth } from '#src/areas/service-levels/sla-report/sla-months.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const REPORT = '/api/admin/compliance/sla-report';
const WINDOWS = '/api/ops-command/maintenance-windows';

interface Report {
  version: number | null;
  latestVersion: number | null;
  asOf: string;
  period: { month: string | null; from: string; to: string; closed: boolean };
  commitments: { metric: string; target: number }[];
  results: { service: string; availabilityPercent: number | null; badMinutes: number | null; series: object[] }[];
  webhooks: { deliveredPercent: number | null; p95DelaySeconds: number | null };
  maintenance: { title: string; scope: string }[];
  coveragePercent: number | null;
  uncoveredMinutes: number;
  breaches: object[];
  serviceCredit: { percent: number | null; note: string };
  errors?: object[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const sql = <R extends Record<string, unknown>>(text: string, values: unknown[]) =>
  asAdmin<R>(platform.database, text, values);
const read = ({ api }: TestTenant, query = '') => api.get<Report>(`${REPORT}${query}`);
const iso = (ms: number) => new Date(ms).toISOString();

/** A tenant that was created before the last month began; the API was up all the time since. */
async function oldTenant(plan: 'free' | 'business' | 'enterprise' = 'business') {
  const tenant = await platform.tenant({ plan });
  const month = monthOf(spanOfMonth(monthOf(platform.clock.nowMs())).fromMs - 1);
  const { fromMs, toMs } = spanOfMonth(month);
  await sql(`update directory.tenants set created_at = $2 where id = $1`, [tenant.id, iso(fromMs - DAY_MS)]);
  return { tenant, month, fromMs, toMs };
}

/** A tenant with an earlier month that no process covered, in any test. */
async function unmeasured() {
  const { tenant, fromMs } = await oldTenant();
  const month = monthOf(fromMs - 1);
  const span = spanOfMonth(month);
  await sql(`update directory.tenants set created_at = $2 where id = $1`, [tenant.id, iso(span.fromMs)]);
  return { tenant, month, ...span };
}

async function covered(fromMs: number, toMs: number): Promise<void> {
  await sql(`insert into directory.process_coverage (process_id, from_at, to_at) values ($1, $2, $3)`, [
    uuidv7(),
    iso(fromMs),
    iso(toMs),
  ]);
}

async function requests({ id }: TestTenant, atMs: number, good: number, bad: number): Promise<void> {
  await sql(
    `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad, good_latency)
     values ($1, $2, $3, 1, $4::bigint, $5, array[0, 0, 0, $4::bigint, 0, 0, 0, 0, 0, 0, 0, 0]::bigint[])`,
    [id, iso(atMs), uuidv7(), good, bad],
  );
}

/** How to add webhook deliveries; `took` is null for one that failed. */
async function deliveriesOf({ id, api }: TestTenant) {
  const endpoint = { url: 'http://127.0.0.1:9/', eventTypes: ['*'] };
  const { body } = await api.post<{ id: string }>('/api/webhooks/endpoints', endpoint);
  return (atMs: number, tookMs: number | null) =>
    sql(
      `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
         subject_type, subject_id, sequence, status, created_at, delivered_at)
       values ($1, $2, $3, $4, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, $5, $6, $7)`,
      [
        id,
        uuidv7(),
        uuidv7(),
        body.id,
        tookMs === null ? 'exhausted' : 'delivered',
        iso(atMs),
        tookMs === null ? null : iso(atMs + tookMs),
      ],
    );
}

/** Adds an AI job that ended. */
async function job({ id, api }: TestTenant, atMs: number, status: 'succeeded' | 'failed'): Promise<void> {
  const input = { kind: 'document.draft', name: 'Draft', input: { template: 'The renewal starts in May.' } };
  const { body } = await api.post<{ id: string }>('/api/ai/jobs', input);
  await sql(`update data.ai_jobs set status = 'running' where tenant_id = $1 and id = $2`, [id, body.id]);
  await sql(
    `update data.ai_jobs set status = $3, finished_at = $4,
       error = case $3 when 'failed' then '{"code": "none", "message": "No answer."}'::jsonb end
     where tenant_id = $1 and id = $2`,
    [id, body.id, status, iso(atMs)],
  );
}

describe('the report of a closed month', () => {
  it('has availability, bad minutes, percentiles, coverage, breaches and the credit', async () => {
    const { tenant, month, fromMs, toMs } = await oldTenant();
    await covered(fromMs, toMs - 60 * MINUTE_MS - 1);
    await requests(tenant, fromMs + 5 * MINUTE_MS, 900, 0);
    await requests(tenant, fromMs + 6 * MINUTE_MS, 80, 20);
    await requests(tenant, fromMs + DAY_MS, 3, 1); // too few requests to be a bad minute
    await requests(tenant, toMs, 0, 500); // the next month
    const { body } = await read(tenant, `?month=${month}`);
    expect(body).toMatchObject({
      version: 1,
      period: { month, from: iso(fromMs), to: iso(toMs), closed: true },
      commitments: [
        { metric: 'api.availabilityPercent', target: 99.9 },
        { metric: 'webhooks.deliveredPercent', target: 99 },
      ],
      webhooks: { deliveredPercent: null, p95DelaySeconds: null },
      uncoveredMinutes: 60,
      breaches: [{ metric: 'api.availabilityPercent', target: 99.9, actual: 97.908 }],
      serviceCredit: { percent: 25 },
    });
    expect(body.coveragePercent).toBeCloseTo(100 - (60 * 100) / ((toMs - fromMs) / MINUTE_MS), 2);
    expect(body.results.map(({ service }) => service)).toEqual(['api', 'webhooks', 'ai']);
    expect(body.results[0]).toMatchObject({
      availabilityPercent: 97.908,
      goodRequests: 983,
      totalRequests: 1_004,
      badMinutes: 1,
      p50Ms: 38,
      p95Ms: 49,
      series: [
        { at: iso(fromMs), goodRequests: 980, totalRequests: 1_000, badMinutes: 1, availabilityPercent: 98 },
        { at: iso(fromMs + DAY_MS), goodRequests: 3, totalRequests: 4, badMinutes: 0 },
      ],
    });
    expect(body.results[1]).toMatchObject({
      availabilityPercent: null,
      totalRequests: 0,
      badMinutes: null,
      p50Ms: null,
    });
  });

  it('never changes once it was read', async () => {
    const { tenant, month, fromMs } = await oldTenant();
    await requests(tenant, fromMs, 10, 0);
    const first = await read(tenant, `?month=${month}`);
    await requests(tenant, fromMs + MINUTE_MS, 0, 1_000);
    await tenant.api.post('/api/admin/slo/reconcile');
    expect((await read(tenant, `?month=${month}`)).body).toEqual(first.body);
    const hourly = await read(tenant, `?month=${month}&granularity=hour&service=api`);
    expect(hourly.body.results).toMatchObject([{ service: 'api', series: [{ goodRequests: 10 }] }]);
    expect(hourly.body.results).toHaveLength(1);
  });

  it('does not count maintenance, and lists it', async () => {
    const { tenant, month, fromMs, toMs } = await oldTenant();
    await covered(fromMs, fromMs + DAY_MS);
    await covered(fromMs + DAY_MS + HOUR_MS, toMs);
    await sql(
      `insert into directory.maintenance_windows (id, title, starts_at, ends_at, announced_at) values ($1, 'Upgrade', $2, $3, $2)`,
      [uuidv7(), iso(fromMs + DAY_MS), iso(fromMs + DAY_MS + HOUR_MS)],
    );
    await requests(tenant, fromMs, 10, 0);
    await requests(tenant, fromMs + DAY_MS + MINUTE_MS, 0, 100);
    const { body } = await read(tenant, `?month=${month}&service=api`);
    expect(body.results).toMatchObject([{ availabilityPercent: 100, totalRequests: 10, badMinutes: 0 }]);
    expect(body).toMatchObject({ coveragePercent: 100, uncoveredMinutes: 0, breaches: [] });
    expect(body.serviceCredit.percent).toBe(0);
    expect(body.maintenance).toMatchObject([{ title: 'Upgrade', scope: 'platform' }]);
  });

  it('has no known credit if no minute was measured', async () => {
    const { tenant, month } = await unmeasured();
    const { body } = await read(tenant, `?month=${month}`);
    expect(body).toMatchObject({ coveragePercent: 0, results: [{ availabilityPercent: null }, {}, {}], breaches: [] });
    expect(body.serviceCredit).toEqual({ percent: null, note: 'Not known: no minute was measured.' });
  });

  it('has no credit if the API was up without any request, or promises nothing', async () => {
    const { tenant, month, fromMs } = await unmeasured();
    await covered(fromMs, fromMs + DAY_MS);
    const none = { percent: 0, note: 'There were no valid requests to the API.' };
    expect((await read(tenant, `?month=${month}`)).body.serviceCredit).toEqual(none);
    const { tenant: free, month: last } = await oldTenant('free');
    const { serviceCredit } = (await read(free, `?month=${last}`)).body;
    expect(serviceCredit).toEqual({ percent: 0, note: 'No availability of the API was promised.' });
  });

  it('promises nothing on the free plan, and what was agreed with the tenant', async () => {
    const { tenant, month } = await oldTenant('free');
    expect((await read(tenant, `?month=${month}`)).body.commitments).toEqual([]);
    const other = await oldTenant();
    await sql(`insert into directory.tenant_commitments values ($1, 'api.availabilityPercent', 99990)`, [
      other.tenant.id,
    ]);
    expect((await read(other.tenant, `?month=${month}`)).body.commitments).toContainEqual({
      metric: 'api.availabilityPercent',
      target: 99.99,
    });
  });
});

describe('the report of a running period', () => {
  it('begins with the tenant, and is preliminary', async () => {
    const tenant = await platform.tenant();
    platform.clock.advance(3 * MINUTE_MS);
    const { body } = await read(tenant);
    expect(body.period).toMatchObject({ month: monthOf(platform.clock.nowMs()), closed: false });
    expect(Date.parse(body.period.from)).toBeGreaterThan(platform.clock.nowMs() - 10 * MINUTE_MS);
    expect(body.serviceCredit.note).toContain('Preliminary');
  });

  it('counts from the creation of the tenant until now, as objectives and usage do', async () => {
    const tenant = await platform.tenant({ plan: 'business' });
    await sql(`update directory.tenants set created_at = $2 where id = $1`, [
      tenant.id,
      iso(platform.clock.nowMs() - 2),
    ]);
    const add = await deliveriesOf(tenant);
    for (const took of [0, 0, 1]) await add(platform.clock.nowMs() - 1, took);
    await job(tenant, platform.clock.nowMs() - 1, 'succeeded');
    platform.clock.advance(10);
    const agree = async () => {
      await platform.app.get(RequestAccounts).flush(); // notes that the process is up
      const { totals } = (
        await tenant.api.get<{ totals: { reads: number; writes: number } }>('/api/v1/developer/usage')
      ).body;
      const { data } = (
        await tenant.api.get<{ data: { key: string; good: number; total: number }[] }>('/api/admin/slo')
      ).body;
      const { body } = await read(tenant);
      const [api, webhooks] = ['api_availability', 'webhook_delivery'].map((key) =>
        data.find((slo) => slo.key === key)!,
      );
      // Since usage was read, that request and the one for objectives have been counted.
      expect(api).toMatchObject({ good: totals.reads + totals.writes + 1 });
      expect(body.results).toMatchObject([
        { service: 'api', goodRequests: api!.good + 1, totalRequests: api!.total + 1 },
        { service: 'webhooks', goodRequests: webhooks!.good, totalRequests: webhooks!.total },
        { service: 'ai', goodRequests: 1, totalRequests: 1 },
      ]);
      expect(webhooks).toMatchObject({ good: 3, total: 3 });
      expect(body).toMatchObject({ coveragePercent: 100, uncoveredMinutes: 0, period: { to: body.asOf } });
    };
    await agree();
    platform.clock.advance(50_000);
    await agree();
  });

  it('takes only a part of the hours in which it begins and ends', async () => {
    const { tenant } = await oldTenant();
    const add = await deliveriesOf(tenant);
    const hourMs = Math.floor(platform.clock.nowMs() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
    for (const minutes of [10, 20, 40, 70, 100]) await add(hourMs + minutes * MINUTE_MS, 1);
    const { body } = await read(
      tenant,
      `?from=${iso(hourMs + 15 * MINUTE_MS)}&to=${iso(hourMs + 90 * MINUTE_MS)}&service=webhooks`,
    );
    expect(body.results).toMatchObject([{ totalRequests: 3 }]);
  });

  it('covers a minute that has just begun, and does not end in the future', async () => {
    const tenant = await platform.tenant({ plan: 'business' });
    const createdAt = iso(platform.clock.nowMs());
    await sql(`update directory.tenants set created_at = $2 where id = $1`, [tenant.id, createdAt]);
    const { body } = await read(tenant);
    expect(body.period.to <= body.asOf && body.period.from >= createdAt).toBe(true);
    const note = 'There were no valid requests to the API. Preliminary: the month is not closed.';
    expect(body).toMatchObject({ coveragePercent: 100, serviceCredit: { percent: 0, note } });
  });

  it('has no versions', async () => {
    const tenant = await platform.tenant();
    const { body } = await read(tenant);
    expect(body).toMatchObject({ version: null, latestVersion: null });
    const refused = await read(tenant, `?month=${body.period.month!}&version=1`);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ parameter: 'version', code: 'out_of_range' }] } });
  });

  it('takes dates and instants', async () => {
    const { tenant } = await oldTenant();
    const now = platform.clock.nowMs();
    const day = iso(now - DAY_MS).slice(0, 10);
    const { body } = await read(tenant, `?from=${day}&to=${iso(now)}`);
    expect(body.period).toMatchObject({ month: null, from: `${day}T00:00:00.000Z`, closed: false });
    expect(body.serviceCredit).toMatchObject({ percent: 0 });
  });

  it('is audited', async () => {
    const tenant = await platform.tenant();
    await read(tenant);
    const entries = await sql(`select action from data.audit_log where tenant_id = $1`, [tenant.id]);
    expect(entries).toEqual([{ action: 'sla_report.read' }]);
  });

  it.each([
    ['month=2999-01', 'month', 'out_of_range'],
    ['month=1999-01', 'month', 'out_of_range'],
    ['month=2026-13', 'month', 'invalid_format'],
    ['month=2026-01&from=2026-01-01', 'month', 'not_together'],
    ['to=2026-01-01', 'from', 'required'],
    ['from=2026-02-30', 'from', 'invalid_date'],
    ['from=2026-02-01T25:00:00Z', 'from', 'invalid_instant'],
    ['from=2999-01-01&to=2999-01-02', 'from', 'out_of_range'],
    ['from=2020-01-01&to=2020-01-02', 'from', 'out_of_range'],
    ['from=2026-01-02&to=2026-01-01', 'from', 'out_of_range'],
    ['service=support', 'service', 'invalid_value'],
  ])('refuses %s', async (query, parameter, code) => {
    const tenant = await platform.tenant();
    expect(await read(tenant, `?${query}`)).toMatchObject({ status: 400, body: { errors: [{ parameter, code }] } });
  });
});

describe('maintenance of webhooks and AI jobs', () => {
  /** A tenant, the start of a full hour three days ago, and how to read that day. */
  async function maintained(...windows: (readonly [fromMinute: number, toMinute: number])[]) {
    const { tenant } = await oldTenant();
    const hourMs = Math.floor(platform.clock.nowMs() / HOUR_MS) * HOUR_MS - 3 * DAY_MS;
    const at = (minute: number) => hourMs + minute * MINUTE_MS;
    for (const [from, to] of windows)
      await sql(
        `insert into data.maintenance_windows (tenant_id, id, version, title, starts_at, ends_at, created_at, updated_at)
         values ($1, $2, 1, 'Upgrade', $3, $4, $3, $3)`,
        [tenant.id, uuidv7(), iso(at(from)), iso(at(to))],
      );
    const report = async () => (await read(tenant, `?from=${iso(at(-120))}&to=${iso(at(240))}&granularity=hour`)).body;
    return { tenant, at, report };
  }

  it('counts the rest of an hour that begins within a window', async () => {
    const { tenant, at, report } = await maintained([0, 5]);
    const delivery = await deliveriesOf(tenant);
    await delivery(at(-70), MINUTE_MS); // an hour that no window touches
    await delivery(at(2), null); // its five minutes began within the window
    await delivery(at(4), MINUTE_MS / 2);
    await delivery(at(10), null);
    for (const minute of [20, 30, 40]) await delivery(at(minute), MINUTE_MS);
    await job(tenant, at(3), 'failed');
    await job(tenant, at(50), 'failed');
    await job(tenant, at(51), 'succeeded');
    const { results, webhooks } = await report();
    expect(results[1]).toMatchObject({
      goodRequests: 4,
      totalRequests: 5,
      series: [
        { at: iso(at(-120)), totalRequests: 1 },
        { at: iso(at(0)), goodRequests: 3, totalRequests: 4 },
      ],
    });
    expect(webhooks.deliveredPercent).toBe(80);
    expect(results[2]).toMatchObject({ goodRequests: 1, totalRequests: 2 });
  });

  it('leaves out what a window in the middle of an hour touched, also from the delays', async () => {
    const { tenant, at, report } = await maintained([5, 55], [118, 119.5]);
    const delivery = await deliveriesOf(tenant);
    await delivery(at(1), MINUTE_MS);
    await delivery(at(2), null); // the window began before its five minutes were over
    await delivery(at(30), null);
    await delivery(at(54), 20 * MINUTE_MS);
    await delivery(at(56), 2 * MINUTE_MS);
    await delivery(at(119), 2 * MINUTE_MS); // delivered in the hour after the second window
    await job(tenant, at(20), 'failed');
    await job(tenant, at(57), 'succeeded');
    const { results, webhooks } = await report();
    expect(results[1]).toMatchObject({ availabilityPercent: 100, goodRequests: 2, totalRequests: 2 });
    expect(webhooks).toEqual({ deliveredPercent: 100, p95DelaySeconds: 117 });
    expect(results[2]).toMatchObject({ availabilityPercent: 100, totalRequests: 1 });
  });
});

describe('maintenance of a tenant', () => {
  it('is announced at least an hour ahead, and listed for this tenant only', async () => {
    const [tenant, other] = [await platform.tenant(), await platform.tenant()];
    const now = platform.clock.nowMs();
    const window = { title: 'Archive', startsAt: iso(now + 2 * HOUR_MS), endsAt: iso(now + 3 * HOUR_MS) };
    const made = await tenant.api.post(WINDOWS, window);
    expect(made).toMatchObject({ status: 201, body: { ...window, version: 1 } });
    const list = await tenant.api.get<{ data: object[] }>(WINDOWS);
    expect(list.body.data).toMatchObject([{ ...window, scope: 'tenant' }]);
    expect((await other.api.get<{ data: object[] }>(WINDOWS)).body.data).toEqual([]);
  });

  it.each([
    ['too soon', 0.5, 2, '/startsAt', 'too_soon'],
    ['with its end before its start', 3, 2, '/endsAt', 'out_of_range'],
    ['of more than a week', 2, 200, '/endsAt', 'too_long'],
  ])('is refused %s', async (_title, from, to, pointer, code) => {
    const tenant = await platform.tenant();
    const now = platform.clock.nowMs();
    const body = { title: 'Archive', startsAt: iso(now + from * HOUR_MS), endsAt: iso(now + to * HOUR_MS) };
    expect(await tenant.api.post(WINDOWS, body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
  });
});
