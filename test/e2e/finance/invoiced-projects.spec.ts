import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makeProject, PROJECTS, readProject } from '../work/work-calls.js';
import { act, draft, issued } from './invoice-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const bill = (projectId: string, unitPriceMinor: number, currency = 'USD') => ({
  projectId,
  currency,
  customer: { name: 'Globex' },
  lineItems: [{ description: 'Work', unitPriceMinor, taxPercent: 20 }],
  ...(currency === 'USD' ? {} : { exchange: { rate: '1.1' } }),
});
const invoiced = async (id: string) => (await readProject(tenant.api, id)).invoicedMinor;

it('sums the net totals of issued invoices in the currency of the project', async () => {
  const { id, version } = await makeProject(tenant.api);
  await draft(tenant.api, bill(id, 7));
  const [first, second] = [await issued(tenant.api, bill(id, 1_000)), await issued(tenant.api, bill(id, 500))];
  await issued(tenant.api, bill(id, 40, 'EUR'));
  expect(await invoiced(id)).toBe(1_500);
  await act(tenant.api, first.id, 'credit', { amountMinor: 120, reason: 'Returned' });
  expect(await invoiced(id)).toBe(1_400);
  await act(tenant.api, second.id, 'void', { reason: 'Wrong' });
  expect(await invoiced(id)).toBe(900);
  expect((await readProject(tenant.api, id)).version).toBe(version);
  await tenant.api.patch(`${PROJECTS}/${id}`, { billing: { currency: 'EUR' } });
  expect(await invoiced(id)).toBe(40);
});

it('is exact after concurrent issues, credits and voids', async () => {
  const { id } = await makeProject(tenant.api);
  const drafts = await Promise.all(Array.from({ length: 8 }, (_, i) => draft(tenant.api, bill(id, 1_000 + i))));
  await Promise.all(drafts.map((each) => act(tenant.api, each.id, 'issue')));
  expect(await invoiced(id)).toBe(8_028);
  const [a, b, c, d] = drafts;
  await Promise.all([
    act(tenant.api, a!.id, 'void', { reason: 'x' }),
    act(tenant.api, b!.id, 'void', { reason: 'x' }),
    act(tenant.api, c!.id, 'credit', { reason: 'x' }),
    act(tenant.api, d!.id, 'credit', { amountMinor: 12, reason: 'x' }),
  ]);
  expect(await invoiced(id)).toBe(8_028 - 1_000 - 1_001 - 1_002 - 10);
});

it('counts as spent of the budget with time and materials only', async () => {
  const budgetMinor = 1_000;
  const make = (model: string) => makeProject(tenant.api, { billing: { model, budgetMinor, hourlyRateMinor: 100 } });
  const [hourly, fixed, retainer] = [await make('time_and_materials'), await make('fixed'), await make('retainer')];
  for (const { id } of [hourly, fixed, retainer]) await issued(tenant.api, bill(id, 900));
  expect(await readProject(tenant.api, hourly.id)).toMatchObject({ budgetUsedPercent: 90, healthComputed: 'at_risk' });
  expect(await readProject(tenant.api, fixed.id)).toMatchObject({ budgetUsedPercent: 0, healthComputed: 'on_track' });
  expect(await readProject(tenant.api, retainer.id)).toMatchObject({ budgetUsedPercent: null });
  await issued(tenant.api, bill(hourly.id, 101));
  const [off] = (await tenant.api.get<{ data: { id: string }[] }>(`${PROJECTS}?healthComputed=off_track`)).body.data;
  expect(off!.id).toBe(hourly.id);
  const { data, summary } = (
    await tenant.api.get<{ data: { project: { id: string } }[]; summary: { valueAtRisk: unknown[] } }>(
      '/api/admin/delivery-control',
    )
  ).body;
  expect(data.find(({ project }) => project.id === hourly.id)).toMatchObject({
    budgetUsedPercent: 100.1,
    reasons: ['over_budget'],
  });
  expect(summary.valueAtRisk).toEqual([{ currency: 'USD', minor: 0 }]);
});
