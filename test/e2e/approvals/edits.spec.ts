import type { ShownAgent } from '#src/areas/ai/agents/agent.js';
import type { ShownJob } from '#src/areas/talent/jobs/job.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { makePipeline } from '../sales/deal-calls.js';
import { approvalOf, dealOf, decide, DEALS, makeDeal, setGate, type Waiting, win } from './approval-calls.js';

/** Edits of records that have passed a gate: an edit that makes the conditions of the gate hold is gated too. */
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

describe('a field in the conditions of a gate', () => {
  async function wonCheaply(gate: object): Promise<string> {
    await setGate(tenant, { conditions: LARGE, ...gate });
    const { id } = await makeDeal(tenant.api, { valueMinor: 2_000_000 });
    await patchDeal(id, { valueMinor: 1 });
    expect((await win(tenant.api, id)).status).toBe(200);
    return id;
  }

  it('cannot be raised once the deal is won', async () => {
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

  it('can change as long as the gate would allow the deal; other fields can always change', async () => {
    const id = await wonCheaply({ effect: 'deny' });
    expect(await patchDeal(id, { valueMinor: 999_999 })).toMatchObject({ status: 200, body: { valueMinor: 999_999 } });
    const { id: large } = await makeDeal(tenant.api, { valueMinor: 5 });
    await win(tenant.api, large);
    expect(await patchDeal(large, { nextStep: 'Send the offer', tags: ['key'] })).toMatchObject({ status: 200 });
  });

  it('waits for approval if winning would, and changes when approved', async () => {
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

  it('does not change if the record has changed meanwhile', async () => {
    const id = await wonCheaply({ allowSelfApproval: true });
    const { body } = await patchDeal(id, { valueMinor: 2_000_000 });
    await patchDeal(id, { nextStep: 'Wait' });
    await decide(tenant.api, body, 'approve');
    expect(await approvalOf(tenant.api, body)).toMatchObject({ status: 'failed', failure: { code: 'stale_target' } });
    expect(await dealOf(tenant.api, body)).toMatchObject({ valueMinor: 1 });
  });

  it('can be parked in a batch', async () => {
    const id = await wonCheaply({});
    const { body } = await tenant.api.patch<{ results: object[] }>(DEALS, { items: [{ id, valueMinor: 2_000_000 }] });
    expect(body.results).toMatchObject([{ ok: false, problem: null, approval: { gate: 'deal.win' } }]);
  });

  it('can be a custom field', async () => {
    await setGate(tenant, { effect: 'deny', conditions: [{ field: 'tags', op: 'eq', value: 'export' }] });
    const { id } = await makeDeal(tenant.api);
    await win(tenant.api, id);
    expect(await patchDeal(id, { tags: ['export'] })).toMatchObject(denied);
    expect(await patchDeal(id, { tags: ['import'] })).toMatchObject({ status: 200 });
  });
});

describe('a gate without conditions', () => {
  it('guards won deals', async () => {
    const { id } = await makeDeal(tenant.api, { valueMinor: 5 });
    await win(tenant.api, id);
    await setGate(tenant, { effect: 'deny' });
    expect(await patchDeal(id, { valueMinor: 6 })).toMatchObject(denied);
    expect(await patchDeal(id, { currency: 'EUR', valueMinor: 5 })).toMatchObject(denied);
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

  it('cannot be granted after the move, and the probability cannot be raised manually', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const { id } = await makeDeal(tenant.api, discounted(5));
    expect((await move(id, 'proposal')).status).toBe(200);
    expect(await patchDeal(id, discounted(30))).toMatchObject(denied);
    expect(await patchDeal(id, { probability: 49 })).toMatchObject({ status: 200 });
    expect(await patchDeal(id, discounted(30))).toMatchObject({ status: 200 });
    expect(await patchDeal(id, { probability: 50 })).toMatchObject(denied);
  });

  it('is not gated while the deal is in its first stage', async () => {
    await beyond();
    const { id } = await makeDeal(tenant.api, discounted(5));
    expect(await patchDeal(id, discounted(30))).toMatchObject({ status: 200 });
    expect(await move(id, 'demo')).toMatchObject(denied);
  });

  it('cannot bypass the gate by losing and reopening the deal', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const { id } = await makeDeal(tenant.api, discounted(30));
    const act = (action: string, body: object) => tenant.api.post(`${DEALS}/${id}/${action}`, body);
    await act('lose', { lostReason: 'price' });
    expect(await act('reopen', { reason: 'x', stage: 'proposal' })).toMatchObject(denied);
    expect(await act('reopen', { reason: 'x', stage: 'demo' })).toMatchObject({ status: 200 });
  });

  it('cannot bypass the gate by creating the deal in a later stage', async () => {
    await beyond({ field: 'targetProbability', op: 'gte', value: 50 });
    const make = (body: object) => tenant.api.post(DEALS, { name: 'x', ...body });
    expect(await make({ ...discounted(30), stage: 'proposal' })).toMatchObject(denied);
    expect(await make({ ...discounted(30), stage: 'demo', probability: 60 })).toMatchObject(denied);
    expect(await make({ ...discounted(30), stage: 'demo' })).toMatchObject({ status: 201 });
    expect(await make({ ...discounted(15), stage: 'proposal' })).toMatchObject({ status: 201 });
    const { id: pipelineId } = await makePipeline(tenant.api);
    expect(await make({ ...discounted(30), pipelineId, stage: 'commit' })).toMatchObject(denied);
    // A deal that would need approval must be created in the first stage and moved.
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
  ])('that is active cannot be extended without approval by %j', async (patch) => {
    await setGate(tenant, { key: 'agent.activate', effect: 'deny' });
    const id = await activeAgent();
    expect(await tenant.api.patch(`${AGENTS}/${id}`, patch)).toMatchObject(denied);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { grants: ['contacts:read'] })).toMatchObject({ status: 200 });
    // A paused one passes the gate on activation.
    await tenant.api.post(`${AGENTS}/${id}/pause`);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, patch)).toMatchObject({ status: 200 });
    expect(await tenant.api.post(`${AGENTS}/${id}/activate`)).toMatchObject(denied);
  });

  it('with write tools cannot get a wider data scope without approval', async () => {
    const id = await activeAgent({ autonomy: 'auto', dataScope: { areas: ['sales'] } });
    await setGate(tenant, { key: 'agent.activate', effect: 'deny' });
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { dataScope: { areas: [] } })).toMatchObject(denied);
    expect(await tenant.api.patch(`${AGENTS}/${id}`, { instructions: 'Be brief.' })).toMatchObject({ status: 200 });
  });

  it('gets no version while its change is parked, and one when approved', async () => {
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
  it.each([['open'], ['on hold']])('that is %s needs approval again for more openings and more pay', async (state) => {
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

  it('that is a draft can be edited freely', async () => {
    await setGate(tenant, { key: 'talent_job.open', effect: 'deny' });
    const { body: job } = await tenant.api.post<ShownJob>(JOBS, { name: 'Engineer', openings: 1 });
    expect(await tenant.api.patch(`${JOBS}/${job.id}`, { openings: 2 })).toMatchObject({ status: 200 });
  });
});
