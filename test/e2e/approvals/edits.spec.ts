import type { ShownAgent } from '#src/areas/ai/agents/agent.js';
import type { ShownJob } from '#src/areas/talent/jobs/job.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makePipeline } from '../sales/deal-calls.js';
import { approvalOf, dealOf, decide, DEALS, makeDeal, setGate, type Waiting, win } from './approval-calls.js';

/** Edits of records that have passed a gate: one that takes a record across the gate's line is asked there too. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const AGENTS = '/api/v1/intelligence/agents';
const JOBS = '/api/v1/talent/jobs';
const denied = { status: 403, body: { code: 'gate_denied' } };
const LARGE = [{ field: 'valueMinor', op: 'gte', value: 1_000_000 }];

const patchDeal = (id: string, patch: object) => tenant.api.patch<Waiting>(`${DEALS}/${id}`, patch);

describe('a field that the conditions are about', () => {
  async function wonCheaply(gate: object): Promise<string> {
    await setGate(tenant, { conditions: LARGE, ...gate });
    const { id } = await makeDeal(tenant.api, { valueMinor: 2_000_000 });
    await patchDeal(id, { valueMinor: 1 });
    expect((await win(tenant.api, id)).status).toBe(200);
    return id;
  }

  it('is not raised again once the deal is won', async () => {
    const id = await wonCheaply({ effect: 'deny' });
    expect(await patchDeal(id, { valueMinor: 2_000_000 })).toMatchObject({
      ...denied,
      body: { code: 'gate_denied', gate: 'deal.win' },
    });
    expect(await patchDeal(id, { value: 20_000 })).toMatchObject(denied);
    expect(await patchDeal(id, { lineItems: [{ description: 'Work', unitPriceMinor: 2_000_000 }] })).toMatchObject(
      denied,
    );
    expect(await tenant.api.patch(DEALS, { id, valueMinor: 2_000_000 })).toMatchObject(denied);
    const { body } = await tenant.api.patch<{ results: object[] }>(DEALS, {
      items: [
        { id, valueMinor: 2_000_000 },
        { id, valueMinor: 999_999 },
      ],
    });
    expect(body.results).toMatchObject([{ ok: false, problem: { code: 'gate_denied' } }, { ok: true }]);
  });

  it('may change as long as the gate would let the deal pass, and others may at any time', async () => {
    const id = await wonCheaply({ effect: 'deny' });
    expect(await patchDeal(id, { valueMinor: 999_999 })).toMatchObject({ status: 200, body: { valueMinor: 999_999 } });
    const { id: large } = await makeDeal(tenant.api, { valueMinor: 5 });
    await win(tenant.api, large);
    expect(await patchDeal(large, { nextStep: 'Send the offer', tags: ['key'] })).toMatchObject({ status: 200 });
  });

  it('waits for approval where winning would, and changes when it is approved', async () => {
    const id = await wonCheaply({ allowSelfApproval: true });
    const parked = await patchDeal(id, { valueMinor: 2_000_000, nextStep: 'Celebrate' });
    expect(parked).toMatchObject({
      status: 202,
      body: {
        approval: { gate: 'deal.win', summary: 'Change a deal: Acme renewal', payload: { valueMinor: 2_000_000 } },
        record: { valueMinor: 1, nextStep: null },
      },
    });
    expect(await patchDeal(id, { valueMinor: 3_000_000 })).toMatchObject({
      status: 409,
      body: { code: 'approval_pending' },
    });
    const approved = await decide(tenant.api, parked.body, 'approve');
    expect(approved).toMatchObject({ status: 200, body: { status: 'executed' } });
    expect(await dealOf(tenant.api, parked.body)).toMatchObject({ valueMinor: 2_000_000, nextStep: 'Celebrate' });
  });

  it('does not change when the record has meanwhile', async () => {
    const id = await wonCheaply({ allowSelfApproval: true });
    const { body } = await patchDeal(id, { valueMinor: 2_000_000 });
    await patchDeal(id, { nextStep: 'Wait' });
    await decide(tenant.api, body, 'approve');
    expect(await approvalOf(tenant.api, body)).toMatchObject({ status: 'failed', failure: { code: 'stale_target' } });
    expect(await dealOf(tenant.api, body)).toMatchObject({ valueMinor: 1 });
  });

  it('can be parked in a list of patches', async () => {
    const id = await wonCheaply({});
    const { body } = await tenant.api.patch<{ results: object[] }>(DEALS, { items: [{ id, valueMinor: 2_000_000 }] });
    expect(body.results).toMatchObject([{ ok: false, problem: null, approval: { gate: 'deal.win' } }]);
  });

  it('is one of the tenant’s own too', async () => {
    await setGate(tenant, { effect: 'deny', conditions: [{ field: 'tags', op: 'eq', value: 'export' }] });
    const { id } = await makeDeal(tenant.api);
    await win(tenant.api, id);
    expect(await patchDeal(id, { tags: ['export'] })).toMatchObject(denied);
    expect(await patchDeal(id, { tags: ['import'] })).toMatchObject({ status: 200 });
  });
});

describe('a gate without conditions', () => {
  it('guards what was won', async () => {
    const { id } = await makeDeal(tenant.api, { valueMinor: 5 });
    await win(tenant.api, id);
    await setGate(tenant, { effect: 'deny' });
    expect(await patchDeal(id, { valueMinor: 6 })).toMatchObject(denied);
    expect(await patchDeal(id, { currency: 'EUR' })).toMatchObject(denied);
    expect(await patchDeal(id, { valueMinor: 5, nextStep: 'x' })).toMatchObject({ status: 200 });
  });
});

describe('a discount', () => {
  const discounted = (discountPercent: number) => ({
    lineItems: [{ description: 'Consulting', unitPriceMinor: 10_000, discountPercent }],
  });
  const move = (id: string, stage: string) => tenant.api.post(`${DEALS}/${id}/move`, { stage });
  const beyond = (...more: object[]) =>
    setGate(tenant, {
      key: 'deal.discount',
      effect: 'deny',
      conditions: [{ field: 'maxDiscountPercent', op: 'gt', value: 15 }, ...more],
    });

  it('is not given after the move, and the chance is not raised by hand', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const { id } = await makeDeal(tenant.api, discounted(5));
    expect((await move(id, 'proposal')).status).toBe(200);
    expect(await patchDeal(id, discounted(30))).toMatchObject(denied);
    expect(await patchDeal(id, { probability: 49 })).toMatchObject({ status: 200 });
    expect(await patchDeal(id, discounted(30))).toMatchObject({ status: 200 });
    expect(await patchDeal(id, { probability: 50 })).toMatchObject(denied);
  });

  it('is free as long as the deal stands where it began', async () => {
    await beyond();
    const { id } = await makeDeal(tenant.api, discounted(5));
    expect(await patchDeal(id, discounted(30))).toMatchObject({ status: 200 });
    expect(await move(id, 'demo')).toMatchObject(denied);
  });

  it('does not get past the gate by being lost and opened again', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const { id } = await makeDeal(tenant.api, discounted(30));
    const act = (action: string, body: object) => tenant.api.post(`${DEALS}/${id}/${action}`, body);
    await act('lose', { lostReason: 'price' });
    expect(await act('reopen', { reason: 'x', stage: 'proposal' })).toMatchObject(denied);
    expect(await act('reopen', { reason: 'x', stage: 'demo' })).toMatchObject({ status: 200 });
  });

  it('does not get past the gate by being made there', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const make = (body: object) => tenant.api.post(DEALS, { name: 'x', ...body });
    expect(await make({ ...discounted(30), stage: 'proposal' })).toMatchObject(denied);
    expect(await make({ ...discounted(30), stage: 'demo', probability: 60 })).toMatchObject(denied);
    expect(await make({ ...discounted(30), stage: 'demo' })).toMatchObject({ status: 201 });
    expect(await make({ ...discounted(15), stage: 'proposal' })).toMatchObject({ status: 201 });
    const { id: pipelineId } = await makePipeline(tenant.api);
    expect(await make({ ...discounted(30), pipelineId, stage: 'commit' })).toMatchObject(denied);
    // What would wait for approval is made where it began, and moved.
    await setGate(tenant, {
      key: 'deal.discount',
      conditions: [{ field: 'maxDiscountPercent', op: 'gt', value: 15 }],
    });
    expect(await make({ ...discounted(30), stage: 'proposal' })).toMatchObject(denied);
  });
});

describe('an agent', () => {
  async function activeAgent(body: object = {}): Promise<string> {
    const made = await tenant.api.post<ShownAgent>(AGENTS, { name: 'Scout', grants: ['deals:read'], ...body });
    expect((await tenant.api.post(`${AGENTS}/${made.body.id}/activate`)).status).toBe(200);
    return made.body.id;
  }

  it.each([
    [{ autonomy: 'auto', grants: ['deals:write'] }],
    [{ autonomy: 'auto' }],
    [{ grants: ['deals:read', 'deals:write'] }],
  ])('that is active does not become dangerous by %j', async (patch) => {
    await setGate(tenant, { key: 'agent.activate', effect: 'deny' });
    const id = await activeAgent();
    expect(await tenant.api.patch(`${AGENTS}/${id}`, patch)).toMatchObject(denied);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { grants: ['contacts:read'] })).toMatchObject({ status: 200 });
    // A paused one has the gate before it.
    await tenant.api.post(`${AGENTS}/${id}/pause`);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, patch)).toMatchObject({ status: 200 });
    expect(await tenant.api.post(`${AGENTS}/${id}/activate`)).toMatchObject(denied);
  });

  it('that may do something already gets no wider field without being asked', async () => {
    const id = await activeAgent({ autonomy: 'auto', dataScope: { areas: ['sales'] } });
    await setGate(tenant, { key: 'agent.activate', effect: 'deny' });
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { dataScope: { areas: [] } })).toMatchObject(denied);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { instructions: 'Be brief.' })).toMatchObject({ status: 200 });
  });

  it('makes no version while its change waits, and one when it is approved', async () => {
    await setGate(tenant, { key: 'agent.activate', allowSelfApproval: true });
    const id = await activeAgent();
    const parked = await tenant.api.patch<Waiting>(`${AGENTS}/${id}`, { grants: ['deals:write'] });
    expect(parked).toMatchObject({ status: 202, body: { record: { agentVersion: 1, grants: ['deals:read'] } } });
    await decide(tenant.api, parked.body, 'approve');
    expect(await tenant.api.get(`${AGENTS}/${id}`)).toMatchObject({
      body: { agentVersion: 2, grants: ['deals:write'] },
    });
  });
});

describe('a job', () => {
  it.each([['open'], ['on hold']])('that is %s asks again for more openings and more pay', async (state) => {
    await setGate(tenant, {
      key: 'talent_job.open',
      effect: 'deny',
      conditions: [{ field: 'openings', op: 'gt', value: 1 }],
    });
    const { body: job } = await tenant.api.post<ShownJob>(JOBS, { name: 'Engineer', openings: 1 });
    expect((await tenant.api.post(`${JOBS}/${job.id}/open`)).status).toBe(200);
    if (state === 'on hold') await tenant.api.post(`${JOBS}/${job.id}/hold`);
    expect(await tenant.api.patch(`${JOBS}/${job.id}`, { openings: 2 })).toMatchObject(denied);
    expect(await tenant.api.patch(`${JOBS}/${job.id}`, { description: 'Builds.' })).toMatchObject({ status: 200 });
  });

  it('that is a draft is edited freely', async () => {
    await setGate(tenant, { key: 'talent_job.open', effect: 'deny' });
    const { body: job } = await tenant.api.post<ShownJob>(JOBS, { name: 'Engineer', openings: 1 });
    expect(await tenant.api.patch(`${JOBS}/${job.id}`, { openings: 2 })).toMatchObject({ status: 200 });
  });
});
