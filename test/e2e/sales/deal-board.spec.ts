import type { Board } from '#src/areas/sales/deals/deal.board.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, makePipeline } from './deal-calls.js';

const BOARD = `${DEALS}/board`;

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const board = async (query = '') => (await tenant.api.get<Board>(`${BOARD}${query}`)).body;

it('shows the stages of the default pipeline in order, including empty ones', async () => {
  const { data } = await board();
  expect(data.map(({ stage, category, count }) => [stage, category, count])).toEqual([
    ['qualification', 'open', 0],
    ['demo', 'open', 0],
    ['proposal', 'open', 0],
    ['negotiation', 'open', 0],
    ['commit', 'open', 0],
    ['won', 'won', 0],
    ['lost', 'lost', 0],
  ]);
});

it('counts and totals each stage by currency, without archived and deleted deals', async () => {
  await makeDeal(tenant.api, { value: 100.05 });
  await makeDeal(tenant.api, { value: 0.05 });
  await makeDeal(tenant.api, { value: 9, currency: 'EUR', probability: 33 });
  await makeDeal(tenant.api, { currency: 'JPY' });
  await act(tenant.api, (await makeDeal(tenant.api, { value: 5 })).id, 'archive');
  await tenant.api.delete(`${DEALS}/${(await makeDeal(tenant.api, { value: 5 })).id}`);
  const won = await act(tenant.api, (await makeDeal(tenant.api, { value: 3 })).id, 'win');
  const { data } = await board();
  expect(data[0]).toMatchObject({
    stage: 'qualification',
    count: 4,
    sums: [
      { currency: 'EUR', valueMinor: 900, weightedValueMinor: 297 },
      { currency: 'USD', valueMinor: 10010, weightedValueMinor: 1001 + 1 },
    ],
  });
  expect(data[0]!.deals).toHaveLength(4);
  expect(data[5]).toMatchObject({
    stage: 'won',
    count: 1,
    deals: [{ id: won.id, valueMinor: 300, allowedActions: null }],
  });
});

it('shows the newest 20 deals of a stage and counts them all', async () => {
  const deals: string[] = [];
  for (let n = 0; n < 23; n++) deals.push((await makeDeal(tenant.api, { value: 1 })).id);
  const [first] = (await board()).data;
  expect(first).toMatchObject({ count: 23, sums: [{ valueMinor: 2300 }] });
  expect(first!.deals.map(({ id }) => id)).toEqual(deals.reverse().slice(0, 20));
});

it('returns null for sums that cannot be represented exactly', async () => {
  for (let n = 0; n < 2; n++) await makeDeal(tenant.api, { valueMinor: 9007199254740991 });
  expect((await board()).data[0]!.sums).toEqual([
    { currency: 'USD', valueMinor: null, weightedValueMinor: 900719925474099 * 2 },
  ]);
});

it('shows another pipeline, and no stages for an unknown one or one of another tenant', async () => {
  const { id } = await makePipeline(tenant.api);
  await makeDeal(tenant.api);
  await makeDeal(tenant.api, { pipelineId: id });
  const { pipelineId, data } = await board(`?pipelineId=${id}`);
  expect({ pipelineId, count: data[0]!.count }).toEqual({ pipelineId: id, count: 1 });
  const foreign = await makePipeline((await platform.tenant()).api);
  expect(await board(`?pipelineId=${foreign.id}`)).toMatchObject({ pipelineId: foreign.id, data: [] });
});

it('rejects other parameters and credentials without deals:read', async () => {
  expect((await tenant.api.get(`${BOARD}?status=open`)).status).toBe(400);
  expect((await (await platform.key(tenant, ['accounts:read'])).get(BOARD)).status).toBe(403);
});
