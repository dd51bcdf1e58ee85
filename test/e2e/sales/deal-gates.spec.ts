import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DEALS, makeDeal, makePipeline, stage } from './deal-calls.js';

/** Rules that a tenant sets for deal transitions, and that they cannot be bypassed. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const call = (id: string, action: string, body?: object) => tenant.api.post(`${DEALS}/${id}/${action}`, body);
const discounted = (discountPercent: number) => ({
  lineItems: [{ description: 'Consulting', unitPriceMinor: 10000, discountPercent }],
});

describe('a discount beyond the limit', () => {
  beforeEach(async () => {
    const conditions = [
      { field: 'maxDiscountPercent', op: 'gt', value: 15 },
      { field: 'targetProbability', op: 'gte', value: 50 },
    ];
    const gates = [{ key: 'deal.discount', effect: 'deny', conditions }];
    const { status, text } = await tenant.api.patch('/api/admin/settings', { gates });
    if (status !== 200) throw new Error(text);
  });
  const denied = { status: 403, body: { code: 'gate_denied' } };

  it('blocks a move to a stage with a high probability', async () => {
    const { id } = await makeDeal(tenant.api, discounted(15.5));
    expect((await call(id, 'move', { stage: 'demo' })).status).toBe(200);
    expect(await call(id, 'move', { stage: 'proposal' })).toMatchObject(denied);
    expect(await tenant.api.patch(`${DEALS}/${id}`, { stage: 'proposal' })).toMatchObject(denied);
    expect((await tenant.api.patch(`${DEALS}/${id}`, discounted(15))).status).toBe(200);
    expect((await call(id, 'move', { stage: 'proposal' })).status).toBe(200);
  });

  it('is checked against the probability given in the move', async () => {
    const { id } = await makeDeal(tenant.api, discounted(20));
    expect(await call(id, 'move', { stage: 'demo', probability: 50 })).toMatchObject(denied);
    expect((await call(id, 'move', { stage: 'proposal', probability: 49 })).status).toBe(200);
  });

  it('is not bypassed through another pipeline', async () => {
    const { id } = await makeDeal(tenant.api, discounted(20));
    const { id: pipelineId } = await makePipeline(tenant.api);
    expect(await call(id, 'change-pipeline', { pipelineId, stage: 'commit' })).toMatchObject(denied);
    expect((await call(id, 'change-pipeline', { pipelineId })).status).toBe(200);
  });
});

it('a deal without the fields required by the won stage can be won only with force', async () => {
  const stages = [stage('new', 'open'), stage('won', 'won', { requiredFields: ['value'] }), stage('lost', 'lost')];
  const { id: pipelineId } = await makePipeline(tenant.api, { stages });
  const { id } = await makeDeal(tenant.api, { pipelineId });
  expect(await call(id, 'win', { force: false })).toMatchObject({
    status: 409,
    body: { code: 'required_fields_missing', missingFields: ['value'] },
  });
  expect(await tenant.api.patch(`${DEALS}/${id}`, { status: 'won', force: true })).toMatchObject({
    status: 200,
    body: { status: 'won', probability: 100 },
  });
});

it('the tenant sets for how many days a closed deal can be reopened', async () => {
  await tenant.api.patch('/api/admin/settings', { sales: { dealReopenDays: 2 } });
  const { id } = await makeDeal(tenant.api);
  const closedAt = (days: number) => new Date(platform.clock.nowMs() - days * 86_400_000).toISOString();
  await call(id, 'win', { closedAt: closedAt(3) });
  expect(await call(id, 'reopen', { reason: 'x' })).toMatchObject({
    status: 409,
    body: { code: 'reopen_window_passed' },
  });
  const other = await makeDeal(tenant.api);
  await call(other.id, 'lose', { lostReason: 'price', closedAt: closedAt(1) });
  expect((await call(other.id, 'reopen', { reason: 'x' })).status).toBe(200);
});
