import { MINUTE_MS } from '#libs/kernel/durations.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Overview } from '#src/areas/insights/overview/overview.dto.js';
import type { Scorecards } from '#src/areas/insights/scorecards/scorecards.dto.js';
import type { SloView } from '#src/areas/service-levels/service-levels.area.js';
import type { Client } from '../../harness/client.js';
import { adminPool, asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { issuedInvoice } from '../finance/payment-calls.js';
import { dayFrom, makeEmployee } from '../people/people-calls.js';
import { act, makeDeal } from '../sales/deal-calls.js';
import { makeCandidate, openJob } from '../talent/talent-calls.js';
import { makeProject } from '../work/work-calls.js';
import { makeSession } from '../../matrix/keys.js';

const PATH = '/api/admin/overview';
const USD = 'USD';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const sql = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  asAdmin<R>(platform.database, text, values);
async function read(api: Client, query = ''): Promise<Overview> {
  const { status, body, text } = await api.get<Overview>(`${PATH}${query}`);
  if (status !== 200) throw new Error(text);
  return body;
}

describe('a new tenant', () => {
  it('has all sections, with nothing counted and nothing unknown as 0', async () => {
    await platform.app.get(RequestAccounts).flush(); // notes that the process is up in this minute, if it ends now
    const { api, slug } = await platform.tenant();
    const { tenant, alerts, asOf, ...sections } = await read(api);
    expect(tenant).toMatchObject({ plan: 'enterprise' });
    expect(slug).toBeDefined();
    expect(alerts).toEqual([]);
    expect(Date.parse(asOf)).toBeCloseTo(platform.clock.nowMs(), -4);
    expect(sections).toEqual({
      members: { active: 0, invited: 0, suspended: 0, seats: { used: 0, limit: null } },
      security: { postureScore: null, openFindings: null, assessedAt: null, mfaCoveragePercent: null },
      delivery: { byHealth: { unknown: 0, onTrack: 0, atRisk: 0, offTrack: 0 } },
      sales: { openValue: [], wonThisMonth: [] },
      finance: { overdue: [], receivable: [] },
      people: { headcount: 0, joinersNext30d: 0 },
      talent: { openJobs: 0, activeCandidates: 0 },
      ai: { spendMonthMicros: 0, pendingApprovals: 0 },
      platform: {
        ...{ sloStatus: 'no_data', outboxBacklog: 0, deadEntries: 0 },
        ...{ errorRate1h: null, coverage1hPercent: 100, rateLimitedRequests24h: 0 },
      },
      compliance: { openReviews: 0, holds: 0 },
    });
  });
});

describe('the figures', () => {
  it('count the records of the tenant', async () => {
    const [{ api }, other] = [await platform.tenant(), await platform.tenant()];
    for (const each of [api, other.api]) {
      await makeDeal(each, { valueMinor: 500, currency: USD });
      await act(each, (await makeDeal(each, { valueMinor: 700, currency: USD })).id, 'win');
      await issuedInvoice(each, 1_000);
      await makeProject(each); // for nobody, so not under delivery control
      const { id } = await makeProject(each, { billing: { model: 'fixed' } });
      await makeProject(each, { billing: { model: 'fixed' } });
      await each.post(`/api/v1/work/projects/${id}/set-health`, { health: 'at_risk', note: 'x' });
      await makeCandidate(each);
      await openJob(each);
    }
    const day = (days: number) => dayFrom(platform.clock.nowMs(), days);
    await makeEmployee(api, { startDate: day(10) });
    await makeEmployee(api, { startDate: day(40) });
    const shown = await read(api);
    expect(shown.sales).toEqual({
      openValue: [{ currency: USD, minor: 500 }],
      wonThisMonth: [{ currency: USD, minor: 700 }],
    });
    const invoices = await api.get<{ data: { balanceMinor: number }[] }>('/api/v1/finance/invoices?limit=100');
    const open = invoices.body.data.reduce((sum, { balanceMinor }) => sum + balanceMinor, 0);
    expect(shown.finance).toEqual({ overdue: [], receivable: [{ currency: USD, minor: open }] });
    const control = await api.get<{ summary: object }>('/api/admin/delivery-control');
    expect(control.body.summary).toMatchObject({ byHealth: { unknown: 1, on_track: 0, at_risk: 1, off_track: 0 } });
    expect(shown.delivery).toEqual({ byHealth: { unknown: 1, onTrack: 0, atRisk: 1, offTrack: 0 } });
    expect(shown.people).toMatchObject({ joinersNext30d: 1 });
    expect(shown.talent).toEqual({ openJobs: 1, activeCandidates: 1 });
  });

  it('are limited to the records of a workspace', async () => {
    const { api } = await platform.tenant();
    const workspace = await api.post<{ id: string }>('/api/admin/workspaces', { name: 'North', key: 'NORTH' });
    const workspaceId = workspace.body.id;
    await makeDeal(api, { valueMinor: 500, currency: USD });
    await makeDeal(api, { valueMinor: 300, currency: USD, workspaceId });
    const { sales, members } = await read(api, `?workspaceId=${workspaceId}`);
    expect(sales!.openValue).toEqual([{ currency: USD, minor: 300 }]);
    expect(members).toEqual((await read(api)).members);
  });

  it('count nothing in a workspace of another tenant', async () => {
    const [{ api }, other] = [await platform.tenant(), await platform.tenant()];
    const workspace = await other.api.post<{ id: string }>('/api/admin/workspaces', { name: 'North', key: 'NORTH' });
    await makeDeal(other.api, { valueMinor: 300, currency: USD, workspaceId: workspace.body.id });
    const { sales } = await read(api, `?workspaceId=${workspace.body.id}`);
    expect(sales).toEqual({ openValue: [], wonThisMonth: [] });
  });

  it('show members and seats', async () => {
    const tenant = await platform.tenant({ plan: 'starter' });
    const { id } = await platform.member(tenant, 'Ada');
    await sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [id]);
    await platform.member(tenant, 'Bob');
    const { members, security } = await read(tenant.api);
    expect(members).toMatchObject({ active: 1, suspended: 1, seats: { used: 1 } });
    expect(members!.seats.limit).toBeGreaterThan(1);
    expect(security).toMatchObject({ mfaCoveragePercent: 0 });
  });

  it('show shares as the scorecards and the service levels do', async () => {
    const tenant = await platform.tenant();
    const settings = await tenant.api.patch('/api/admin/settings', { scorecards: { minSample: 1 } });
    expect(settings.status).toBe(200);
    const [ada, bob] = [await platform.member(tenant, 'Ada'), await platform.member(tenant, 'Bob')];
    await platform.member(tenant, 'Cleo');
    const pool = adminPool(platform.database.adminUrl, 1);
    for (const { id } of [ada, bob]) await makeSession(pool, tenant.id, { memberId: id });
    await pool.end();
    await sql(
      `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad)
       values ($1, $2, $3, 1, 999996, 4)`,
      [tenant.id, new Date(Math.floor(platform.clock.nowMs() / MINUTE_MS) * MINUTE_MS).toISOString(), uuidv7()],
    );
    const { cards } = (await tenant.api.get<Scorecards>('/api/admin/scorecards')).body;
    const valueOf = (key: string) => cards.find((card) => card.key === key)!.value;
    expect(valueOf('mfa_coverage')).toBe(66.667);
    expect((await read(tenant.api)).security).toMatchObject({ mfaCoveragePercent: 66.667 });
    const { data } = (await tenant.api.get<{ data: SloView[] }>('/api/admin/slo')).body;
    expect(data).toContainEqual(expect.objectContaining({ key: 'api_availability', sliPercent: 99.999 }));
    expect(valueOf('availability')).toBe(99.999);
  });

  it('show the last run of the security checks', async () => {
    const { api } = await platform.tenant();
    const run = await api.post<{ score: number; checks: { status: string }[]; asOf: string }>(
      '/api/admin/security/posture',
      {},
    );
    const open = run.body.checks.filter(({ status }) => status === 'fail' || status === 'warning');
    const { security } = await read(api);
    expect(security).toMatchObject({ postureScore: run.body.score, openFindings: open.length });
    expect(security!.assessedAt).not.toBeNull();
  });
});

describe('alerts', () => {
  const burst = (tenant: TestTenant) =>
    sql(
      `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad)
       select $1, $2::timestamptz - i * interval '1 minute', $3, 1, 100, 900 from generate_series(0, 4) i`,
      [tenant.id, new Date(Math.floor(platform.clock.nowMs() / MINUTE_MS) * MINUTE_MS).toISOString(), uuidv7()],
    );

  it('name objectives that burn, for those who may read them', async () => {
    const tenant = await platform.tenant();
    await burst(tenant);
    const { alerts, platform: service } = await read(tenant.api);
    expect(service!.sloStatus).toBe('exhausted');
    expect(alerts).toContainEqual({
      code: 'slo_exhausted',
      severity: 'warning',
      message: 'The error budget of “API availability” is spent.',
      path: '/api/admin/slo?key=api_availability',
    });
    const limited = await platform.key(tenant, ['overview:read']);
    expect((await read(limited)).alerts).toEqual([]);
  });
});

describe('a caller', () => {
  it.each([
    ['overview:read', []],
    ['members:read', ['members']],
    ['security:read', ['security']],
    ['projects:read', ['delivery']],
    ['deals:read', ['sales']],
    ['invoices:read', ['finance']],
    ['employees:read', ['people']],
    ['jobs:read', ['talent']],
    ['ai-jobs:read-all', ['ai']],
    ['slo:read', ['platform']],
    ['retention:read', ['compliance']],
  ])('with %s sees only %j', async (scope, sections) => {
    const tenant = await platform.tenant();
    const shown = await read(await platform.key(tenant, ['overview:read', scope]));
    expect(Object.keys(shown).sort()).toEqual(['tenant', 'alerts', 'asOf', ...sections].sort());
  });

  it('sees only the permitted figures of a section', async () => {
    const tenant = await platform.tenant();
    const {
      security,
      platform: service,
      talent,
    } = await read(await platform.key(tenant, ['overview:read', 'security:read', 'outbox:read', 'candidates:read']));
    expect(Object.keys(security!)).toEqual(['postureScore', 'openFindings', 'assessedAt']);
    expect(Object.keys(service!)).toEqual(['outboxBacklog', 'deadEntries']);
    expect(Object.keys(talent!)).toEqual(['activeCandidates']);
  });
});
