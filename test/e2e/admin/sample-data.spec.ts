import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { pathOf } from '#libs/resource/types/definition.js';
import type { OnboardingView } from '#src/areas/setup/onboarding/onboarding.dto.js';
import { adminPool, asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { fingerprintOf } from '../../matrix/tenant-fingerprint.js';
import { expectStatus } from '../finance/payment-calls.js';
import { DEALS, makeDeal } from '../sales/deal-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';

const PATH = '/api/admin/onboarding';
const LIMIT_MS = 5_000;
/** Audit log and events have the loading and the removal; the onboarding has another version. */
const TOLD = ['data.audit_log', 'data.events', 'data.events_pending', 'data.tenant_onboarding'];

type Page<T = Record<string, unknown>> = { data: T[] };

let platform: TestPlatform;
let admin: ReturnType<typeof adminPool>;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
  admin = adminPool(platform.database.adminUrl, 1);
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  expectStatus(await tenant.api.get(PATH), 200);
  expectStatus(await tenant.api.get('/api/v1/sales/pipelines'), 200); // has the default pipeline created
});

const send = (action: string, api = tenant.api) => api.post<OnboardingView & { code: string }>(PATH, { action });
const load = async () => expectStatus(await send('load_sample_data'), 200);
const remove = async () => expectStatus(await send('remove_sample_data'), 200);
const list = async (path: string) => expectStatus(await tenant.api.get<Page>(path), 200).data;
const first = async (path: string, reference: string) => {
  const found = (await list(`${path}?limit=200`)).find((each) => each['reference'] === reference);
  return found as { id: string } & Record<string, unknown>;
};
const fingerprint = async (of = tenant) => {
  const all = Object.entries(await fingerprintOf(admin, of.id));
  return Object.fromEntries(all.filter(([table]) => !TOLD.includes(table)));
};
const rowCounts = async () => {
  const tables = await asAdmin<{ name: string }>(
    platform.database,
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('data', 'directory') and table_type = 'BASE TABLE' order by 1`,
  );
  const text = tables.map(({ name }) => `select '${name}' as name, count(*)::integer as rows from ${name}`);
  const counts = await asAdmin<{ name: string; rows: number }>(platform.database, text.join(' union all '));
  return Object.fromEntries(counts.map(({ name, rows }) => [name, rows]));
};

/** Tells a member of a record, as the worker does when it is due. */
const notify = (recordId: string) =>
  asAdmin(
    platform.database,
    `insert into data.notifications (tenant_id, id, member_id, kind, subject_type, subject_id, title, count, in_app,
       email, created_at, updated_at)
     select tenant_id, gen_random_uuid(), id, 'overdue', 'sales.deal', $2, 'Call', 1, true, 'daily', now(), now()
     from data.memberships where tenant_id = $1 limit 1`,
    [tenant.id, recordId],
  );

test('all areas have sample data that every list, and every record, shows', async () => {
  await platform.member(tenant, 'Ana');
  const { sampleData } = await load();
  expect(sampleData).toMatchObject({ kept: [] });
  const filled: string[] = [];
  for (const definition of platform.app.get(ResourceRegistry).all()) {
    const path = pathOf(definition);
    const records = await list(`${path}?limit=200`);
    const samples = records.filter(({ reference }) => String(reference).startsWith('DEMO'));
    if (samples.length === 0) continue;
    filled.push(definition.type);
    expect(samples.every(({ tags }) => (tags as string[]).includes('sample'))).toBe(true);
    for (const { id } of samples.slice(0, 3)) expectStatus(await tenant.api.get(`${path}/${String(id)}`), 200);
  }
  expect(filled.sort()).toEqual([
    ...['core.calendar', 'core.checklist_template'],
    ...['finance.credit_note', 'finance.invoice', 'finance.payment'],
    ...['people.department', 'people.employee', 'people.time_off'],
    ...['proposals.content_block', 'proposals.proposal'],
    ...['sales.account', 'sales.contact', 'sales.deal', 'sales.lead', 'sales.product'],
    ...['talent.application', 'talent.candidate', 'talent.interview', 'talent.job', 'talent.offer', 'talent.scorecard'],
    ...['work.cycle', 'work.milestone', 'work.project', 'work.project_template', 'work.task', 'work.time_entry'],
  ]);
});

test('it fills boards, books and scorecards, and its journals add up', async () => {
  await load();
  const states = (records: Record<string, unknown>[]) =>
    [...new Set(records.map(({ status }) => String(status)))].sort();
  expect(states(await list('/api/v1/sales/deals?limit=200'))).toEqual(['lost', 'open', 'won']);
  expect(states(await list('/api/v1/finance/invoices?limit=200'))).toEqual([
    'draft',
    'issued',
    'overdue',
    'paid',
    'partially_paid',
  ]);
  const balance = await list('/api/v1/finance/trial-balance');
  expect(balance.length).toBeGreaterThan(3);
  expect(balance.reduce((sum, { balanceMinor }) => sum + Number(balanceMinor), 0)).toBe(0);
  expect((await list('/api/v1/finance/ledger-entries')).every(({ sample }) => sample === true)).toBe(true);
  const { cards } = expectStatus(
    await tenant.api.get<{ cards: { key: string; value: number | null; previous: number | null }[] }>(
      '/api/admin/scorecards?group=sales&period=quarter',
    ),
    200,
  );
  expect(cards.filter(({ value }) => value !== null).length).toBeGreaterThan(3);
});

test('it shows plans, handoffs, a talent mapping and reports', async () => {
  await platform.member(tenant, 'Ana');
  await load();
  const cycles = await list('/api/v1/work/cycles');
  expect(cycles.map(({ status }) => status).sort()).toEqual(['current', 'upcoming']);
  for (const { id } of cycles) expect(await list(`/api/v1/work/tasks?cycleId=${String(id)}`)).not.toEqual([]);
  const handoffs = await list('/api/admin/sales-handoff');
  expect(handoffs.map(({ status }) => status)).toEqual(['submitted', 'completed']);
  const deal = await tenant.api.get(`${DEALS}/${String(handoffs[1]!['dealId'])}`);
  expect(deal.body).toMatchObject({ handoffId: handoffs[1]!['id'], projectId: handoffs[1]!['projectId'] });
  expect(await list('/api/admin/talent-mapping')).toMatchObject([{ status: 'ready', missing: [] }]);
  expect(await list('/api/home/announcements')).toHaveLength(1);
  const reports = await list('/api/v1/reports/reports');
  expect(reports.length).toBeGreaterThan(1);
  for (const { id } of reports) {
    const { rows } = expectStatus(await tenant.api.get<{ rows: [] }>(`/api/v1/reports/reports/${String(id)}/run`), 200);
    expect(rows.length).toBeGreaterThan(3);
  }
});

test('metrics have a history from before the tenant existed', async () => {
  await load();
  const path = '/api/insights/metrics/invoices_issued/history';
  type History = { recordedDays: number; series: { points: { value: number | null }[] }[] };
  const { recordedDays, series } = expectStatus(await tenant.api.get<History>(path), 200);
  expect(recordedDays).toBeGreaterThan(80);
  const values = new Set(series[0]!.points.map(({ value }) => value));
  expect(values.size).toBeGreaterThan(1);
});

test('the removal leaves no trace', async () => {
  await platform.member(tenant, 'Ana');
  await makeDeal(tenant.api);
  const other = await platform.tenant();
  expectStatus(await send('load_sample_data', other.api), 200);
  const [before, counts, neighbour] = [await fingerprint(), await rowCounts(), await fingerprint(other)];
  const loaded = await load();
  expect(Object.keys(await fingerprint())).toEqual(Object.keys(before));
  const deal = await first(DEALS, 'DEMO-DEAL-000017');
  expectStatus(await tenant.api.post(`${DEALS}/${deal.id}/comments`, { body: 'Ours' }), 201);
  expectStatus(await tenant.api.patch(`${DEALS}/${deal.id}`, { nextStep: 'Call', tags: ['hot'] }), 200);
  await notify(deal.id);
  const removed = await remove();
  expect(removed.sampleData).toBeNull();
  expect(loaded.sampleData!.records).toBeGreaterThan(200);
  expect(await fingerprint()).toEqual(before);
  expect(await fingerprint(other)).toEqual(neighbour);
  const after = await rowCounts();
  const changed = Object.keys(after).filter((name) => after[name] !== counts[name]);
  expect(
    changed.filter(
      (name) =>
        !/^data\.(audit_|events|request_)|^directory\.(credential_uses|process_coverage|tenant_activity)$/.test(name),
    ),
  ).toEqual([]);
});

test('loading and removing take at most five seconds each, and emit one event each', async () => {
  const timed = async (work: () => Promise<unknown>) => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
  expect(await timed(load)).toBeLessThan(LIMIT_MS);
  expect(await timed(remove)).toBeLessThan(LIMIT_MS);
  const told = ['started', 'sample_data_loaded', 'sample_data_removed'].map((verb) => `admin.onboarding.${verb}`);
  expect((await eventsOf(platform, tenant, tenant.id)).map(({ type }) => type)).toEqual(told);
  expect((await auditOf(platform, tenant, tenant.id)).map(({ action }) => action)).toEqual(told);
  const [{ count }] = (await asAdmin<{ count: number }>(
    platform.database,
    'select count(*)::integer as count from data.events where tenant_id = $1',
    [tenant.id],
  )) as [{ count: number }];
  expect(count).toBe(told.length + 1); // the default pipeline
});

test('the removal is as fast when statistics know only the rows of another tenant', async () => {
  const other = await platform.tenant();
  expectStatus(await send('load_sample_data', other.api), 200);
  await admin.query('analyze');
  await load();
  const begunMs = performance.now();
  await remove();
  expect(performance.now() - begunMs).toBeLessThan(LIMIT_MS);
});

test('the numbers of the tenant go on as if there had been no sample data', async () => {
  const { reference } = await makeDeal(tenant.api);
  await load();
  const next = await makeDeal(tenant.api);
  expect([reference, next.reference]).toEqual(['DEAL-000001', 'DEAL-000002']);
});

test('sample data completes no step', async () => {
  const done = ({ steps }: OnboardingView) => steps.filter(({ status }) => status === 'done').map(({ key }) => key);
  expect(done(await load())).toEqual(['plan_selected']);
  await makeDeal(tenant.api);
  expect(done(expectStatus(await tenant.api.get<OnboardingView>(PATH), 200))).toEqual(['first_deal', 'plan_selected']);
});

test('a second loading changes nothing, and so does a second removal', async () => {
  await load();
  const before = await fingerprint();
  const again = { status: 409, body: { code: 'invalid_transition' } };
  expect(await send('load_sample_data')).toMatchObject(again);
  expect(await fingerprint()).toEqual(before);
  await remove();
  expect(await send('remove_sample_data')).toMatchObject(again);
});

test('loading and removing are no requests of service levels', async () => {
  const other = await platform.tenant();
  const total = async () => {
    const { body } = await other.api.get<{ data: { key: string; total: number }[] }>('/api/admin/slo');
    return body.data.find(({ key }) => key === 'api_latency')!.total;
  };
  const before = await total();
  expectStatus(await send('load_sample_data', other.api), 200);
  expect(await total()).toBe(before + 1); // the request of the line before
  expectStatus(await send('remove_sample_data', other.api), 200);
  expect(await total()).toBe(before + 2);
});

test('nothing is loaded if a record of the tenant has a value of the sample data', async () => {
  const product = { name: 'Ours', sku: 'demo-cons', unitPriceMinor: 100 };
  expect((await tenant.api.post('/api/v1/sales/products', product)).status).toBe(201);
  const before = await fingerprint();
  const { status, body } = await send('load_sample_data');
  expect([status, body.code]).toEqual([409, 'duplicate']);
  expect(await fingerprint()).toEqual(before);
});

test('metrics recorded while there was sample data are deleted with it', async () => {
  const record = (date: string, recordedAt: string) =>
    asAdmin(
      platform.database,
      `insert into data.metric_snapshots (tenant_id, date, time_zone, figures, recorded_at) values ($1, $2, 'UTC', '{}', $3)`,
      [tenant.id, date, recordedAt],
    );
  const { loadedAt } = (await load()).sampleData!;
  await record('2026-01-01', new Date(Date.parse(loadedAt) - 1).toISOString());
  await record('2026-01-02', loadedAt);
  await remove();
  const text = 'select date::text from data.metric_snapshots where tenant_id = $1';
  expect(await asAdmin(platform.database, text, [tenant.id])).toEqual([{ date: '2026-01-01' }]);
});

test('of simultaneous requests, each sees all or nothing', async () => {
  const actions = ['load_sample_data', 'remove_sample_data', 'load_sample_data', 'remove_sample_data'];
  const answers = await Promise.all(actions.map((action) => send(action)));
  const done = answers.filter(({ status }) => status === 200).map(({ body }) => body.sampleData?.records ?? 0);
  expect(done.length).toBeGreaterThan(0);
  expect(new Set(done).size).toBeLessThanOrEqual(2);
  for (const { status, body } of answers.filter((each) => each.status !== 200))
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'invalid_transition' });
  await send('remove_sample_data');
  expect(await asAdmin(platform.database, 'select from data.sample_records where tenant_id = $1', [tenant.id])).toEqual(
    [],
  );
});

describe('sample records on which others depend', () => {
  const kept = ({ sampleData }: OnboardingView) => (sampleData?.kept ?? []).map(({ reference }) => reference).sort();

  it('stay, with what they depend on in turn, until the others are gone', async () => {
    await load();
    const account = await first('/api/v1/sales/accounts', 'DEMO-ACC-000003');
    const deal = await makeDeal(tenant.api, { name: 'Ours', accountId: account.id });
    const removed = await remove();
    expect(kept(removed)).toEqual(['DEMO-ACC-000003']);
    expect(removed.sampleData!.kept[0]).toMatchObject({
      ...{ object: 'sales.account', id: account.id, name: 'Cedar Clinics' },
      usedBy: { object: 'sales.deal', id: deal.id, reference: deal.reference, name: 'Ours' },
    });
    expect(removed.sampleData!.records).toBe(1);
    expect((await send('load_sample_data')).body.code).toBe('in_use');
    expectStatus(await tenant.api.patch(`${DEALS}/${deal.id}`, { accountId: null }), 200);
    expect((await remove()).sampleData).toBeNull();
  });

  it('stay if a handoff is about them', async () => {
    await load();
    const deal = await first(DEALS, 'DEMO-DEAL-000013');
    const made = await tenant.api.post<{ id: string; name: string }>('/api/admin/sales-handoff', { dealId: deal.id });
    const { id, name } = expectStatus(made, 200);
    const found = (await remove()).sampleData!.kept.find((each) => each.id === deal.id);
    expect(found).toMatchObject({ usedBy: { object: 'sales.handoff', id, name, reference: null } });
    expectStatus(await tenant.api.get(`${DEALS}/${deal.id}`), 200);
  });

  it('stay with their parts, so that their figures remain right', async () => {
    await load();
    const project = await first('/api/v1/work/projects', 'DEMO-PRJ-000003');
    const own = await tenant.api.post<{ id: string }>('/api/v1/work/tasks', { name: 'Ours', projectId: project.id });
    expect(own.status).toBe(201);
    const before = await first('/api/v1/work/projects', 'DEMO-PRJ-000003');
    const references = kept(await remove());
    expect(references).toEqual(
      expect.arrayContaining(['DEMO-PRJ-000003', 'DEMOPORTAL-1', 'DEMO-DEAL-000003', 'DEMO-ACC-000003']),
    );
    expect(references).not.toContain('DEMO-PRJ-000004');
    const after = await first('/api/v1/work/projects', 'DEMO-PRJ-000003');
    expect(after['taskCounts']).toEqual(before['taskCounts']);
    expect(after['progressPercent']).toEqual(before['progressPercent']);
  });

  it('stay with their books, which still add up', async () => {
    await load();
    const invoice = await first('/api/v1/finance/invoices', 'DEMO-INV-000011');
    const pay = { amountMinor: 1_000, currency: invoice['currency'], status: 'succeeded' };
    const allocations = [{ invoiceId: invoice.id, amountMinor: 1_000 }];
    expect((await tenant.api.post('/api/v1/finance/payments', { ...pay, allocations })).status).toBe(201);
    expect(kept(await remove())).toEqual(expect.arrayContaining(['DEMO-INV-000011', 'DEMO-ACC-000003']));
    const balance = await list('/api/v1/finance/trial-balance');
    expect(balance.find(({ accountCode }) => accountCode === 'receivable')).toMatchObject({
      balanceMinor: Number(invoice['totalMinor']) - 1_000,
    });
    expect(balance.reduce((sum, { balanceMinor }) => sum + Number(balanceMinor), 0)).toBe(0);
  });

  it('stay if only a line of a document names them', async () => {
    await load();
    const product = await first('/api/v1/sales/products', 'DEMO-PROD-000002');
    const lineItems = [{ description: 'Workshop', productId: product.id, unitPriceMinor: 100 }];
    await makeDeal(tenant.api, { name: 'Ours', value: undefined, lineItems });
    expect(kept(await remove())).toEqual(['DEMO-PROD-000002']);
  });
});

test('a legal hold stops the removal', async () => {
  await load();
  const hold = { action: 'place_hold', name: 'Dispute', scope: { objects: ['sales.account'] }, reason: 'Lawsuit' };
  expectStatus(await tenant.api.post('/api/admin/retention', hold), 200);
  const before = await fingerprint();
  const { status, body } = await send('remove_sample_data');
  expect([status, body.code]).toEqual([423, 'legal_hold']);
  expect(await fingerprint()).toEqual(before);
});

test('only owners remove sample data', async () => {
  await load();
  const manager = await platform.key(tenant, ['onboarding:manage']);
  const refused = await send('remove_sample_data', manager);
  expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  expect(refused.text).toContain('which only owners have');
  expect((await send('dismiss', manager)).status).toBe(200);
});

test('nobody changes or deletes entries of the ledger that are no sample data', async () => {
  await load();
  const entries = `data.finance_ledger_entries where tenant_id = '${tenant.id}'`;
  const change = `update data.finance_ledger_entries set sample = false where tenant_id = '${tenant.id}'`;
  await expect(asAdmin(platform.database, change)).rejects.toThrow('append-only');
  await remove();
  expect(await asAdmin(platform.database, `select from ${entries}`)).toEqual([]);
});
