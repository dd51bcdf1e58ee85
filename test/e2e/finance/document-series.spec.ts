import { Database } from '#libs/database/database.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { numberOf } from '#libs/kernel/number-pattern.js';
import { type DocumentSeries, GaplessSeries } from '#libs/resource/records/gapless-series.js';

const INVOICES: DocumentSeries = {
  series: 'test.invoice',
  pattern: 'INV-{YYYY}-{seq:5}',
  resets: 'yearly',
  startAt: 1,
};

let platform: TestPlatform;
let database: Database;
let series: GaplessSeries;
beforeAll(async () => {
  platform = await startPlatform();
  database = platform.app.get(Database);
  series = platform.app.get(GaplessSeries);
});
afterAll(() => platform.close());

/** Takes a number in a separate unit of work; `fail` rolls it back. */
function take(tenant: TestTenant, kind: DocumentSeries, date: string, fail = false) {
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'USD', epoch: '1' };
  return runAsSystem(facts, 'test', 'series-test', () =>
    database.transaction(async (transaction) => {
      const taken = await series.take(transaction, kind, date);
      if (fail) throw new Error(`${taken.number} is not needed`);
      return taken;
    }),
  );
}
const expected = (count: number, year = 2026) =>
  Array.from({ length: count }, (_, index) => `INV-${year}-${String(index + 1).padStart(5, '0')}`);

it('gives 50 concurrent takers numbers without gaps or duplicates, even if every third rolls back', async () => {
  const tenant = await platform.tenant();
  const takers = Array.from({ length: 75 }, (_, index) => take(tenant, INVOICES, '2026-11-21', index % 3 === 2));
  const outcomes = await Promise.allSettled(takers);
  const numbers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.number] : []));
  expect(numbers.sort()).toEqual(expected(50));
  expect((await take(tenant, INVOICES, '2026-11-21')).number).toBe('INV-2026-00051');
});

it('returns a number when the transaction that took it rolls back', async () => {
  const tenant = await platform.tenant();
  await expect(take(tenant, INVOICES, '2026-11-21', true)).rejects.toThrow('INV-2026-00001 is not needed');
  expect(await take(tenant, INVOICES, '2026-11-21')).toEqual({ number: 'INV-2026-00001', lastDate: null });
});

it('restarts each year and continues in a year that it returns to', async () => {
  const tenant = await platform.tenant();
  const numbers = [];
  for (const date of ['2026-12-31', '2027-01-01', '2026-12-30', '2027-06-01'])
    numbers.push((await take(tenant, INVOICES, date)).number);
  expect(numbers).toEqual(['INV-2026-00001', 'INV-2027-00001', 'INV-2026-00002', 'INV-2027-00002']);
});

it('knows the latest date that it has numbered, in any year', async () => {
  const tenant = await platform.tenant();
  const dates = [];
  for (const date of ['2026-12-31', '2027-01-02', '2026-12-30', '2027-01-01'])
    dates.push((await take(tenant, INVOICES, date)).lastDate);
  expect(dates).toEqual([null, '2026-12-31', '2027-01-02', '2027-01-02']);
});

it('never restarts without a reset rule, and counts each series and tenant separately', async () => {
  const [tenant, other] = [await platform.tenant(), await platform.tenant()];
  const endless: DocumentSeries = { series: 'test.note', pattern: 'CN-{seq:3}', resets: 'never', startAt: 1 };
  await take(tenant, endless, '2026-11-21');
  expect((await take(tenant, endless, '2027-11-21')).number).toBe('CN-002');
  expect((await take(tenant, INVOICES, '2027-11-21')).number).toBe('INV-2027-00001');
  expect((await take(other, endless, '2027-11-21')).number).toBe('CN-001');
});

it('stores no row of one tenant under another', async () => {
  const [tenant, other] = [await platform.tenant(), await platform.tenant()];
  await take(tenant, INVOICES, '2026-11-21');
  const rows = await asAdmin(platform.database, 'select 1 from data.document_series where tenant_id = $1', [other.id]);
  expect(rows).toEqual([]);
});

it.each([
  ['INV-{YYYY}-{seq:5}', 7, 'INV-2026-00007'],
  ['{YY}{MM}/{seq:3}', 7, '2611/007'],
  ['R{seq:2}', 123, 'R123'],
])('formats %s with count %d as %s', (pattern, count, number) => {
  expect(numberOf(pattern, '2026-11-21', count)).toBe(number);
});
