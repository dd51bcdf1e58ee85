import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { EvidenceBundle } from '#src/areas/assurance/evidence/evidence.dto.js';
import { monthOf, spanOfMonth } from '#src/areas/service-levels/sla-report/sla-months.js';
import { operatorOf } from '../../cli/operator.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const EVIDENCE = '/api/admin/compliance/evidence';
const SLO = '/api/admin/slo';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant({ plan: 'business' });
});

const sql = (text: string, values: unknown[]) => asAdmin(platform.database, text, [tenant.id, ...values]);
const bundleOf = async (controlId: string, more = '') =>
  (await tenant.api.get<EvidenceBundle>(`${EVIDENCE}?controls=${controlId}${more}`)).body;
const item = async (controlId: string, more = '') => (await bundleOf(controlId, more)).items[0]!;
const requests = (atMs: number, good: number, bad: number) =>
  sql(
    `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad, good_latency)
     values ($1, $2, $3, 1, $4::bigint, $5, array[0, 0, 0, $4::bigint, 0, 0, 0, 0, 0, 0, 0, 0]::bigint[])`,
    [new Date(atMs).toISOString(), uuidv7(), good, bad],
  );

it('lists objectives, defaults too, with the stored counts of whole days', async () => {
  const today = Math.floor(platform.clock.nowMs() / DAY_MS) * DAY_MS;
  await requests(today - DAY_MS, 998, 2);
  await requests(today - 31 * DAY_MS, 0, 500);
  const before = await item('service-objectives');
  expect(before.data.rows).toMatchObject([
    { key: 'api_availability', version: 1, countedTo: null, good: null, total: null, sliPercent: null, finding: null },
    { key: 'api_latency' },
    { key: 'webhook_delivery' },
  ]);
  expect(await sql('select from data.slo_progress where tenant_id = $1', [])).toEqual([]);
  const { data } = (await tenant.api.get<{ data: { id: string; key: string }[] }>(SLO)).body;
  const found = await item('service-objectives');
  expect(found.status).toBe('fail');
  expect(found.data.rows.map(({ sloId, key }) => ({ id: sloId, key }))).toEqual(
    data.map(({ id, key }) => ({ id, key })),
  );
  expect(found.data.rows[0]).toMatchObject({
    ...{ objectivePercent: 99.9, windowDays: 30, enabled: true, indicator: { kind: 'availability' } },
    ...{ countedTo: new Date(today).toISOString(), good: 998, total: 1_000, sliPercent: 99.8 },
    finding: 'The objective was missed.',
  });
  await tenant.api.patch(SLO, { key: 'api_availability', objectivePercent: 99.8 });
  await tenant.api.patch(SLO, { key: 'webhook_delivery', archived: true });
  const changed = await item('service-objectives');
  expect(changed).toMatchObject({
    status: 'pass',
    data: { total: 2, rows: [{ version: 2, objectivePercent: 99.8, sliPercent: 99.8, finding: null }, {}] },
  });
});

it('returns the same bundle after its own request was counted', async () => {
  await tenant.api.get(SLO);
  const first = await bundleOf('service-objectives');
  await requests(platform.clock.nowMs() - 60_000, 0, 10);
  await tenant.api.get(SLO);
  expect((await bundleOf('service-objectives')).id).toBe(first.id);
});

it('lists the stored months with their corrections, and judges the latest versions', async () => {
  const month = monthOf(spanOfMonth(monthOf(platform.clock.nowMs())).fromMs - 1);
  const { fromMs, toMs } = spanOfMonth(month);
  await sql(`update directory.tenants set created_at = $2 where id = $1`, [new Date(fromMs - DAY_MS).toISOString()]);
  await requests(fromMs, 990, 10);
  expect(await item('service-levels')).toMatchObject({ status: 'not_tested', data: { total: 0 } });
  expect(await sql('select from data.sla_reports where tenant_id = $1', [])).toEqual([]);
  await tenant.api.get(`/api/admin/compliance/sla-report?month=${month}`);
  const breaches = [{ metric: 'api.availabilityPercent', target: 99.9, actual: 99 }];
  const first = { month, version: 1, correctionReason: null, apiAvailabilityPercent: 99, breaches };
  expect(await item('service-levels')).toMatchObject({
    status: 'fail',
    data: { rows: [{ ...first, isLatest: true, finding: 'A commitment was not kept.' }] },
  });
  await requests(fromMs + DAY_MS, 99_000, 0);
  const operator = operatorOf(platform.database.settings);
  const reason = 'Figures arrived late.';
  const correction = ['--tenant', tenant.slug, '--month', month, '--reason', reason];
  await operator.json('sla-report', 'correct', ...correction);
  expect((await item('service-levels')).data.rows).toMatchObject([
    { ...first, isLatest: false, finding: null },
    { version: 2, isLatest: true, correctionReason: reason, apiAvailabilityPercent: 99.99, breaches: [] },
  ]);
  const range = (from: number, to: number) => `&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  for (const [from, to, total] of [
    [fromMs - DAY_MS, fromMs, 0],
    [fromMs - DAY_MS, fromMs + 1, 2],
    [toMs - 1, toMs, 2],
    [toMs, platform.clock.nowMs(), 0],
  ] as const)
    expect((await item('service-levels', range(from, to))).data.total).toBe(total);
});
