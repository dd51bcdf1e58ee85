import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { monthOf, spanOfMonth } from '#src/areas/service-levels/sla-report/sla-months.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { type Operator, operatorOf } from './operator.js';

const REPORT = '/api/admin/compliance/sla-report';
const MONTH = monthOf(spanOfMonth(monthOf(Date.now())).fromMs - 1);

interface Report {
  version: number;
  latestVersion: number;
  correction: { reason: string; at: string } | null;
  results: { totalRequests: number }[];
  asOf: string;
}

let platform: TestPlatform;
let operator: Operator;
beforeAll(async () => {
  platform = await startPlatform();
  operator = operatorOf(platform.database.settings);
});
afterAll(() => platform.close());

const sql = (text: string, values: unknown[]) => asAdmin(platform.database, text, values);
const correct = (slug: string, month = MONTH, reason = 'Figures arrived late.') =>
  ['sla-report', 'correct', '--tenant', slug, '--month', month, '--reason', reason] as const;

/** A tenant that existed in the last month, and how to read its report. */
async function oldTenant() {
  const { tenantId, slug, apiKey } = await operator.tenant();
  const created = new Date(spanOfMonth(MONTH).fromMs - DAY_MS).toISOString();
  await sql(`update directory.tenants set created_at = $2 where id = $1`, [tenantId, created]);
  const get = (path: string) =>
    platform.anonymous().get<Report & { errors: object[]; data: object[] }>(path, { 'x-api-key': apiKey });
  const requests = (good: number) =>
    sql(
      `insert into data.request_minutes (tenant_id, minute, process_id, revision, good, bad)
       values ($1, $2, $3, 1, $4, 0)`,
      [tenantId, new Date(spanOfMonth(MONTH).fromMs).toISOString(), uuidv7(), good],
    );
  const read = async (more = '') => (await get(`${REPORT}?month=${MONTH}${more}`)).body;
  return { slug, get, requests, read };
}

describe('a correction', () => {
  it('adds a version with its reason; earlier ones stay as they were', async () => {
    const { slug, get, requests, read } = await oldTenant();
    await requests(10);
    const first = await read();
    expect(first).toMatchObject({ version: 1, latestVersion: 1, correction: null });
    await requests(5);
    expect(await read()).toEqual(first);
    expect(await operator.json(...correct(slug))).toEqual({ slug, month: MONTH, version: 2 });
    const second = await read();
    expect(second).toMatchObject({
      version: 2,
      latestVersion: 2,
      correction: { reason: 'Figures arrived late.', at: second.asOf },
    });
    expect([first, second].map(({ results }) => results[0]!.totalRequests)).toEqual([10, 15]);
    expect(await read('&version=2')).toEqual(second);
    expect(await read('&version=1')).toEqual({ ...first, latestVersion: 2 });
    const log = await get('/api/admin/audit-logs?action=sla_report.corrected');
    expect(log.body.data).toMatchObject([{ reason: 'Figures arrived late.', riskLevel: 'high' }]);
  });

  it('adds nothing if no figure differs', async () => {
    const { slug, requests, read } = await oldTenant();
    await requests(10);
    await read();
    expect(await operator.json(...correct(slug))).toEqual({ slug, month: MONTH, version: null });
    expect(await read()).toMatchObject({ version: 1, latestVersion: 1 });
  });

  it('stores the month first if nobody has read it yet', async () => {
    const { slug, requests, read } = await oldTenant();
    await requests(10);
    expect(await operator.json(...correct(slug))).toMatchObject({ version: null });
    expect(await read()).toMatchObject({ version: 1 });
  });

  it.each([
    ['the current month', monthOf(Date.now()), 'Late.', 'not closed'],
    ['a month before the creation of the tenant', '2020-01', 'Late.', 'before the creation'],
    ['something else than a month', '2026-13', 'Late.', '--month'],
    ['an empty reason', MONTH, ' ', '--reason'],
    ['a long reason', MONTH, 'x'.repeat(501), '--reason'],
  ])('is refused for %s', async (_title, month, reason, message) => {
    const { slug } = await oldTenant();
    const ended = await operator.run(...correct(slug, month, reason));
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(message) as string });
  });

  it('is refused for a month whose records are gone', async () => {
    const { slug } = await oldTenant();
    await sql(`update directory.tenants set created_at = '2020-01-01' where slug = $1`, [slug]);
    const ended = await operator.run(...correct(slug, '2020-02'));
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('100 days') as string });
  });
});

it.each([
  ['an unknown version', `month=${MONTH}&version=9`, { parameter: 'version', code: 'out_of_range' }],
  ['a version of the current month', `month=${monthOf(Date.now())}&version=1`, { parameter: 'version' }],
  ['a version without a month', 'version=1', { parameter: 'month', code: 'required' }],
])('refuses to read %s', async (_title, query, error) => {
  const { get } = await oldTenant();
  expect(await get(`${REPORT}?${query}`)).toMatchObject({ status: 400, body: { errors: [error] } });
});
