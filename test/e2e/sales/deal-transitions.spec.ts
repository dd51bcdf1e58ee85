import { DAY_MS } from '#libs/kernel/durations.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, makePipeline, stage } from './deal-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';

let platform: TestPlatform;
let tenant: TestTenant;
let id: string;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ id } = await makeDeal(tenant.api, { value: 1000 }));
});
afterAll(() => platform.close());

const call = (action: string, body?: object) => tenant.api.post(`${DEALS}/${id}/${action}`, body);
const do_ = (action: string, body?: object) => act(tenant.api, id, action, body);
const patch = (body: object) => tenant.api.patch(`${DEALS}/${id}`, body);
const expectNow = (instant: string | null) =>
  expect(Math.abs(Date.parse(String(instant)) - platform.clock.nowMs())).toBeLessThan(5_000);
const OPEN_ACTIONS = ['move', 'change-pipeline', 'win', 'lose', 'archive', 'delete'];

describe('a new deal', () => {
  it('starts in the first open stage of the default pipeline, with the defaults of the stage', async () => {
    expect(await makeDeal(tenant.api)).toMatchObject({
      stage: 'qualification',
      status: 'open',
      probability: 10,
      forecastCategory: 'pipeline',
      dealType: 'new_business',
      source: 'other',
      closedAt: null,
      lostReason: null,
      daysInStage: 0,
      isStale: false,
      version: 1,
      allowedActions: OPEN_ACTIONS,
    });
  });

  it('may start in another open stage and override its defaults', async () => {
    const made = await makeDeal(tenant.api, { stage: 'commit', probability: 33, forecastCategory: 'omitted' });
    expect(made).toMatchObject({ stage: 'commit', probability: 33, forecastCategory: 'omitted' });
  });

  it.each([
    ['won', 'stage_not_open'],
    ['lost', 'stage_not_open'],
    ['nowhere', 'unknown_stage'],
  ])('cannot start in the stage %s', async (key, code) => {
    const answer = await tenant.api.post(DEALS, { name: 'x', stage: key });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/stage', code }]);
  });

  it('cannot start in an unknown pipeline or one of another tenant', async () => {
    const foreign = await makePipeline((await platform.tenant()).api);
    for (const pipelineId of [foreign.id, '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20']) {
      const answer = await tenant.api.post(DEALS, { name: 'x', pipelineId });
      expect(answer.status).toBe(400);
      expect(answer.body['errors']).toMatchObject([{ pointer: '/pipelineId', code: 'unknown_reference' }]);
    }
  });
});

describe('move', () => {
  it('takes probability and forecast from the stage and restarts the time in stage', async () => {
    const before = (await tenant.api.get(`${DEALS}/${id}`)).body;
    const moved = await do_('move', { stage: 'negotiation' });
    expect(moved).toMatchObject({
      stage: 'negotiation',
      status: 'open',
      probability: 70,
      forecastCategory: 'best_case',
      weightedValueMinor: 70_000,
      version: 2,
      closedAt: null,
      allowedActions: OPEN_ACTIONS,
    });
    expect(moved.stageEnteredAt > String(before['stageEnteredAt'])).toBe(true);
    expectNow(moved.stageEnteredAt);
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toEqual(moved);
  });

  it('accepts overrides, which the next move resets', async () => {
    const moved = await do_('move', { stage: 'demo', probability: 0, forecastCategory: 'commit' });
    expect(moved).toMatchObject({ stage: 'demo', probability: 0, forecastCategory: 'commit' });
    expect(await do_('move', { stage: 'qualification' })).toMatchObject({
      probability: 10,
      forecastCategory: 'pipeline',
    });
  });

  it.each(['qualification', 'won', 'lost'])('to %s is rejected with 409 and the allowed transitions', async (to) => {
    const answer = await call('move', { stage: to });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      code: 'invalid_transition',
      state: 'open',
      stage: 'qualification',
      action: 'move',
      allowedActions: OPEN_ACTIONS,
    });
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ version: 1, stage: 'qualification' });
  });

  it('to an unknown stage is 400', async () => {
    const answer = await call('move', { stage: 'nowhere' });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/stage', code: 'unknown_stage' }]);
  });

  it('to a stage with required fields reports the missing ones', async () => {
    const requiredFields = ['value', 'expectedCloseDate', 'nextStep', 'nextStepDate', 'recurring'];
    const stages = [stage('a', 'open'), stage('b', 'open', { requiredFields }), stage('w', 'won'), stage('l', 'lost')];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    ({ id } = await makeDeal(tenant.api, { pipelineId, nextStep: 'call' }));
    const refused = await call('move', { stage: 'b' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'required_fields_missing',
      missingFields: ['value', 'expectedCloseDate', 'nextStepDate', 'recurring'],
    });
    const recurring = { intervalMonths: 12, amountMinor: 5, termMonths: 12, startDate: '2027-01-01' };
    await patch({ value: 0, expectedCloseDate: '2027-01-01', nextStepDate: '2027-01-01', recurring });
    expect(await do_('move', { stage: 'b' })).toMatchObject({ stage: 'b', valueMinor: 0 });
  });

  it('to the same stage happens once under concurrent requests', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => call('move', { stage: 'demo' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await eventsOf(platform, tenant, id)).toHaveLength(2);
  });
});

describe('change-pipeline', () => {
  it('moves to the first open stage of the other pipeline or to the given stage', async () => {
    const stages = [stage('w', 'won'), stage('l', 'lost'), stage('a', 'open'), stage('b', 'open', { probability: 7 })];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const first = await do_('change-pipeline', { pipelineId });
    expect(first).toMatchObject({ pipelineId, stage: 'a', probability: 50, status: 'open' });
    const again = await call('change-pipeline', { pipelineId, stage: 'b' });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 'invalid_transition', action: 'change-pipeline', stage: 'a' });
    ({ id } = await makeDeal(tenant.api));
    expect(await do_('change-pipeline', { pipelineId, stage: 'b' })).toMatchObject({ stage: 'b', probability: 7 });
  });

  it('rejects unknown pipelines and stages, closed stages and missing fields', async () => {
    const stages = [stage('a', 'open', { requiredFields: ['nextStep'] }), stage('w', 'won'), stage('l', 'lost')];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const foreign = await makePipeline((await platform.tenant()).api);
    for (const [body, status, code] of [
      [{ pipelineId: foreign.id }, 400, 'validation_failed'],
      [{ pipelineId, stage: 'qualification' }, 400, 'validation_failed'],
      [{ pipelineId, stage: 'w' }, 409, 'invalid_transition'],
      [{ pipelineId, stage: 'l' }, 409, 'invalid_transition'],
      [{ pipelineId }, 409, 'required_fields_missing'],
    ] as const) {
      const answer = await call('change-pipeline', body);
      expect([body, answer.status, answer.body['code']]).toEqual([body, status, code]);
    }
  });
});

describe('win', () => {
  it('closes the deal in the won stage with probability 100', async () => {
    const won = await do_('win');
    expect(won).toMatchObject({ stage: 'won', status: 'won', probability: 100, forecastCategory: 'commit' });
    expect(won).toMatchObject({ lostReason: null, weightedValueMinor: 100_000, allowedActions: ['reopen', 'archive'] });
    expectNow(won.closedAt);
    expectNow(won.stageEnteredAt);
  });

  it('accepts the time of winning, but not in the future', async () => {
    const answer = await call('win', { closedAt: new Date(platform.clock.nowMs() + DAY_MS).toISOString() });
    expect(answer.status).toBe(400);
    expect(answer.body['errors']).toMatchObject([{ pointer: '/closedAt', code: 'out_of_range' }]);
    expect(await do_('win', { closedAt: '2026-01-02T03:04:05+02:00' })).toMatchObject({
      closedAt: '2026-01-02T01:04:05.000Z',
    });
  });

  it('requires the fields of the won stage', async () => {
    const stages = [stage('a', 'open'), stage('w', 'won', { requiredFields: ['value'] }), stage('l', 'lost')];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    ({ id } = await makeDeal(tenant.api, { pipelineId }));
    const answer = await call('win');
    expect([answer.status, answer.body['missingFields']]).toEqual([409, ['value']]);
    await patch({ value: 1 });
    expect(await do_('win')).toMatchObject({ stage: 'w' });
  });
});

describe('lose', () => {
  it('closes the deal in the lost stage with its reason', async () => {
    const lost = await do_('lose', { lostReason: 'competitor', competitor: 'Globex', lostNotes: 'too slow' });
    expect(lost).toMatchObject({ stage: 'lost', status: 'lost', probability: 0, forecastCategory: 'omitted' });
    expect(lost).toMatchObject({ lostReason: 'competitor', competitor: 'Globex', lostNotes: 'too slow' });
    expect(lost).toMatchObject({ weightedValueMinor: 0, allowedActions: ['reopen', 'archive', 'delete'] });
    expectNow(lost.closedAt);
  });

  it.each([
    [undefined, 'required'],
    [{}, 'required'],
    [{ lostReason: null }, 'not_nullable'],
    [{ lostReason: 'weather' }, 'invalid_value'],
  ])('requires a reason from the list: %j', async (body, code) => {
    const answer = await call('lose', body);
    expect(answer.status).toBe(400);
    expect(answer.body['code']).toBe('validation_failed');
    if (body) expect(answer.body['errors']).toMatchObject([{ pointer: '/lostReason', code }]);
  });

  it('allows the reason to be corrected, only on lost deals', async () => {
    const early = await patch({ lostReason: 'price' });
    expect(early.status).toBe(400);
    expect(early.body['errors']).toMatchObject([{ pointer: '/lostReason', code: 'only_with_transition' }]);
    await do_('lose', { lostReason: 'price' });
    expect((await patch({ lostReason: 'fit', lostNotes: 'really' })).body).toMatchObject({
      lostReason: 'fit',
      lostNotes: 'really',
      status: 'lost',
    });
  });
});

describe('a closed deal', () => {
  it.each([
    ['won', 'win', undefined],
    ['lost', 'lose', { lostReason: 'fit' }],
  ])('%s cannot be moved or closed again', async (status, action, body) => {
    await do_(action, body);
    for (const [next, input] of [
      ['move', { stage: 'demo' }],
      ['change-pipeline', { pipelineId: id }],
      ['win', {}],
      ['lose', { lostReason: 'price' }],
    ] as const) {
      const answer = await call(next, input);
      expect([next, answer.status]).toEqual([next, 409]);
      expect(answer.body).toMatchObject({ code: 'invalid_transition', state: status, stage: status, action: next });
    }
    const answer = await patch({ probability: 50 });
    expect([answer.status, answer.body['code']]).toEqual([409, 'record_locked']);
  });

  it('can be reopened into the first open stage or the given one, with a reason', async () => {
    await do_('lose', { lostReason: 'price', lostNotes: 'n', competitor: 'c' });
    expect((await call('reopen', {})).status).toBe(400);
    expect(await do_('reopen', { reason: 'They called' })).toMatchObject({
      stage: 'qualification',
      status: 'open',
      probability: 10,
      closedAt: null,
      lostReason: null,
      lostNotes: null,
      competitor: null,
    });
    await do_('win');
    expect(await do_('reopen', { reason: 'Not signed', stage: 'commit' })).toMatchObject({
      stage: 'commit',
      probability: 90,
      closedAt: null,
    });
    expect((await call('reopen', { reason: 'again' })).body).toMatchObject({
      code: 'invalid_transition',
      state: 'open',
      action: 'reopen',
    });
  });

  it('cannot be reopened into a closed or unknown stage', async () => {
    await do_('win');
    expect((await call('reopen', { reason: 'x', stage: 'lost' })).status).toBe(409);
    expect((await call('reopen', { reason: 'x', stage: 'nowhere' })).status).toBe(400);
  });
});

describe('the events and audit entries of a transition', () => {
  it('are one event with a specific verb and one audit entry, both with the changes', async () => {
    const win = { closedAt: new Date(platform.clock.nowMs() - DAY_MS).toISOString() };
    await do_('move', { stage: 'demo' });
    await do_('win', win);
    await do_('reopen', { reason: 'Not signed' });
    await do_('lose', { lostReason: 'price' });
    const events = await eventsOf(platform, tenant, id);
    const verbs = ['created', 'stage_changed', 'won', 'reopened', 'lost'].map((verb) => `sales.deal.${verb}`);
    expect(events.map(({ type }) => type)).toEqual(verbs);
    expect(events.map(({ subject }) => subject)).toMatchObject([1, 2, 3, 4, 5].map((version) => ({ id, version })));
    expect(events[0]!.changes).toBeNull();
    expect(events[1]!.changes).toMatchObject({
      stage: { from: 'qualification', to: 'demo' },
      probability: { from: 10, to: 25 },
    });
    expect(events[1]!.changes).not.toHaveProperty('status');
    expect(events[2]!.changes).toMatchObject({
      status: { from: 'open', to: 'won' },
      closedAt: { from: null, to: win.closedAt },
    });
    expect(events[2]!.data).toMatchObject({ status: 'won', probability: 100, allowedActions: null });
    expect(events[4]!.changes).toMatchObject({ lostReason: { from: null, to: 'price' } });
    const audit = await auditOf(platform, tenant, id);
    expect(audit.map(({ action }) => action)).toEqual(verbs);
    expect(audit.map(({ changes }) => changes).slice(1)).toEqual(events.map(({ changes }) => changes).slice(1));
    expect(audit.map(({ riskLevel }) => riskLevel)).toEqual(['low', 'low', 'medium', 'medium', 'medium']);
    expect(audit.map(({ reason }) => reason)).toEqual([null, null, null, 'Not signed', null]);
    expect(audit[2]).toMatchObject({ outcome: 'success', target: { id, name: 'a deal' }, actor: { type: 'api_key' } });
  });

  it('are not written when it is rejected', async () => {
    await call('move', { stage: 'won' });
    await call('lose', {});
    await call('reopen', { reason: 'x' });
    expect(await eventsOf(platform, tenant, id)).toHaveLength(1);
    expect(await auditOf(platform, tenant, id)).toHaveLength(1);
  });
});

describe('time', () => {
  it('counts the days in a stage, marks stale deals, and ends the reopening period after 30 days', async () => {
    const stages = [stage('a', 'open', { rottenAfterDays: 30 }), stage('w', 'won'), stage('l', 'lost')];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const waiting = await makeDeal(tenant.api, { pipelineId });
    await do_('win');
    platform.clock.advance(29 * DAY_MS);
    const fresh = (await tenant.api.get(`${DEALS}/${waiting.id}`)).body;
    expect(fresh).toMatchObject({ daysInStage: 29, isStale: false });
    await do_('reopen', { reason: 'in time' });
    await do_('win');
    platform.clock.advance(31 * DAY_MS);
    const answer = await call('reopen', { reason: 'too late' });
    expect([answer.status, answer.body['code']]).toEqual([409, 'reopen_window_passed']);
    const old = (await tenant.api.get(`${DEALS}/${waiting.id}`)).body;
    expect(old).toMatchObject({ daysInStage: 60, isStale: true });
  });
});
