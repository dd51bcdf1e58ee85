import { Transaction } from '#libs/database/transaction.js';
import { until } from '#libs/testing/until.js';
import type { ShownDeal } from '#src/areas/sales/deals/deal.js';
import type { ShownPipeline } from '#src/areas/sales/pipelines/pipeline.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, makePipeline, PIPELINES, stage } from './deal-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';
import { LEADS, makeLead } from './sales-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const OPEN = stage('a', 'open');
const WON = stage('w', 'won');
const LOST = stage('l', 'lost');
const patch = (id: string, body: object) => tenant.api.patch<ShownPipeline>(`${PIPELINES}/${id}`, body);
const lockWaits = async () =>
  (
    await asAdmin(
      platform.database,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length;
const list = async () => (await tenant.api.get<{ data: ShownPipeline[] }>(PIPELINES)).body.data;
const defaults = async () => (await list()).filter(({ isDefault }) => isDefault).map(({ id }) => id);

it('are also available below the settings, as the same pipelines', async () => {
  const SETTINGS = '/api/settings/pipelines';
  const made = await tenant.api.post<ShownPipeline>(SETTINGS, { name: 'Renewals', stages: [OPEN, WON, LOST] });
  expect(made).toMatchObject({ status: 201, body: { object: 'sales.pipeline', name: 'Renewals' } });
  const { id } = made.body;
  expect(await patch(id, { name: 'Renewal' })).toMatchObject({ status: 200 });
  expect(await tenant.api.get(`${SETTINGS}/${id}`)).toMatchObject({ status: 200, body: { name: 'Renewal' } });
  expect((await tenant.api.get<{ data: object[] }>(`${SETTINGS}?limit=200`)).body.data).toEqual(await list());
  expect(await tenant.api.delete(`${SETTINGS}/${id}`)).toMatchObject({ status: 200 });
});

describe('the first use of sales', () => {
  it('shows the default pipeline to others only once the transaction that creates it has committed', async () => {
    const lead = await makeLead(tenant.api);
    const { commit } = Transaction.prototype;
    const isWaiting = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const spied = jest.spyOn(Transaction.prototype, 'commit').mockImplementationOnce(async function (
      this: Transaction,
    ) {
      isWaiting.resolve();
      await mayCommit.promise;
      await commit.call(this);
    });
    try {
      const converting = tenant.api.post(`${LEADS}/${lead.id}/convert`, { dealName: 'From a lead' });
      await isWaiting.promise;
      const creating = tenant.api.post(DEALS, { name: 'At the same time' });
      // Either it has used what it cannot see yet, or it waits for the other transaction.
      await Promise.race([creating, until(async () => (await lockWaits()) > 0)]);
      mayCommit.resolve();
      expect(await creating).toMatchObject({ status: 201 });
      expect(await converting).toMatchObject({ status: 200 });
    } finally {
      mayCommit.resolve();
      spied.mockRestore();
    }
    expect(await defaults()).toHaveLength(1);
  });

  it('creates exactly one default pipeline under concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 4 === 3 ? tenant.api.get(PIPELINES) : tenant.api.post(DEALS, { name: `d${i}` }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 4 === 3 ? 200 : 201)));
    const pipelines = await list();
    expect(pipelines).toMatchObject([{ name: 'Sales', isDefault: true, version: 1, createdBy: { type: 'system' } }]);
    const deals = await tenant.api.get<{ data: { pipelineId: string }[] }>(DEALS);
    expect(new Set(deals.body.data.map(({ pipelineId }) => pipelineId))).toEqual(new Set([pipelines[0]!.id]));
    const rows = await asAdmin<{ type: string; n: number }>(
      platform.database,
      `select type, count(*)::int as n from data.events where tenant_id = $1 group by type order by type`,
      [tenant.id],
    );
    expect(rows).toEqual([
      { type: 'sales.deal.created', n: 15 },
      { type: 'sales.pipeline.created', n: 1 },
    ]);
    expect(await auditOf(platform, tenant, pipelines[0]!.id)).toMatchObject([{ action: 'sales.pipeline.created' }]);
  });

  it('creates the predefined stages', async () => {
    const [pipeline] = await list();
    expect(
      pipeline!.stages.map(({ key, category, probability, forecastCategory }) =>
        [key, category, probability, forecastCategory].join(' '),
      ),
    ).toEqual([
      'qualification open 10 pipeline',
      'demo open 25 pipeline',
      'proposal open 50 best_case',
      'negotiation open 70 best_case',
      'commit open 90 commit',
      'won won 100 commit',
      'lost lost 0 omitted',
    ]);
  });
});

describe('a pipeline', () => {
  it('can be created, read, listed, changed and deleted', async () => {
    expect(await list()).toHaveLength(1);
    const made = await makePipeline(tenant.api, { name: 'Renewals', stages: [OPEN, WON, LOST] });
    expect(made).toMatchObject({ object: 'sales.pipeline', name: 'Renewals', isDefault: false, version: 1 });
    expect(made.reference).toMatch(/^PIPE-\d{6}$/);
    expect(made.stages[0]).toEqual({ ...OPEN, rottenAfterDays: null, requiredFields: [] });
    const path = `${PIPELINES}/${made.id}`;
    expect((await tenant.api.get(path)).body).toEqual(made);
    expect((await list()).map(({ name }) => name)).toEqual(['Sales', 'Renewals']);
    const changed = await patch(made.id, { name: 'EMEA', stages: [stage('new', 'open'), OPEN, WON, LOST] });
    expect(changed.body).toMatchObject({ name: 'EMEA', version: 2 });
    expect(changed.body.stages.map(({ key }) => key)).toEqual(['new', 'a', 'w', 'l']);
    expect((await patch(made.id, { name: 'EMEA' })).body).toMatchObject({ version: 2 });
    expect((await tenant.api.delete(path)).body).toMatchObject({
      id: made.id,
      object: 'sales.pipeline',
      deleted: true,
    });
    for (const answer of [
      await tenant.api.get(path),
      await patch(made.id, { name: 'x' }),
      await tenant.api.delete(path),
    ])
      expect(answer.status).toBe(404);
    expect((await list()).map(({ name }) => name)).toEqual(['Sales']);
    expect((await eventsOf(platform, tenant, made.id)).map(({ type }) => type)).toEqual([
      'sales.pipeline.created',
      'sales.pipeline.updated',
      'sales.pipeline.deleted',
    ]);
    const into = await tenant.api.post(DEALS, { name: 'x', pipelineId: made.id });
    expect(into.body['errors']).toMatchObject([{ pointer: '/pipelineId', code: 'unknown_reference' }]);
  });

  it('is invisible to other tenants', async () => {
    const { id } = await makePipeline(tenant.api);
    const other = await platform.tenant();
    expect((await other.api.get(`${PIPELINES}/${id}`)).status).toBe(404);
    expect((await other.api.patch(`${PIPELINES}/${id}`, { isDefault: true })).status).toBe(404);
    expect((await other.api.delete(`${PIPELINES}/${id}`)).status).toBe(404);
  });

  it('needs pipelines:read to be read and pipelines:manage to be changed', async () => {
    const { id } = await makePipeline(tenant.api);
    const reader = await platform.key(tenant, ['pipelines:read', 'deals:*']);
    expect((await reader.get(`${PIPELINES}/${id}`)).status).toBe(200);
    expect((await reader.post(PIPELINES, { name: 'x' })).status).toBe(403);
    expect((await reader.patch(`${PIPELINES}/${id}`, { name: 'x' })).status).toBe(403);
    expect((await reader.delete(`${PIPELINES}/${id}`)).status).toBe(403);
    expect((await (await platform.key(tenant, ['pipelines:manage'])).get(PIPELINES)).status).toBe(403);
  });

  it.each([
    ['two stages with one key', [OPEN, OPEN, WON, LOST], '/stages/1/key', 'not_unique'],
    ['no open stage', [WON, LOST, stage('l2', 'lost')], '/stages', 'stage_missing'],
    ['no won stage', [OPEN, stage('b', 'open'), LOST], '/stages', 'stage_missing'],
    ['two won stages', [OPEN, WON, stage('w2', 'won'), LOST], '/stages', 'stage_missing'],
    ['no lost stage', [OPEN, stage('b', 'open'), WON], '/stages', 'stage_missing'],
    [
      'a won stage below 100',
      [OPEN, stage('w', 'won', { probability: 99 }), LOST],
      '/stages/1/probability',
      'invalid_value',
    ],
    [
      'a lost stage above 0',
      [OPEN, WON, stage('l', 'lost', { probability: 1 })],
      '/stages/2/probability',
      'invalid_value',
    ],
    [
      'a probability above 100',
      [stage('a', 'open', { probability: 101 }), WON, LOST],
      '/stages/0/probability',
      'out_of_range',
    ],
    ['a bad key', [stage('A b', 'open'), WON, LOST], '/stages/0/key', 'invalid_format'],
    [
      'an unknown category',
      [OPEN, WON, LOST, { ...OPEN, key: 'x', category: 'paused' }],
      '/stages/3/category',
      'invalid_value',
    ],
    [
      'a field that cannot be required',
      [stage('a', 'open', { requiredFields: ['name'] }), WON, LOST],
      '/stages/0/requiredFields/0',
      'invalid_value',
    ],
    ['too few stages', [OPEN, WON], '/stages', 'too_few'],
  ])('cannot have %s', async (_, stages, pointer, code) => {
    const { id } = await makePipeline(tenant.api);
    for (const answer of [await tenant.api.post(PIPELINES, { name: 'x', stages }), await patch(id, { stages })]) {
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ errors: [{ pointer, code }] });
    }
  });

  it('may have several lost stages; a lost deal moves to the first', async () => {
    const stages = [OPEN, WON, stage('no_budget', 'lost'), LOST];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const { id } = await makeDeal(tenant.api, { pipelineId });
    expect(await act(tenant.api, id, 'lose', { lostReason: 'price' })).toMatchObject({ stage: 'no_budget' });
  });
});

describe('a pipeline in use', () => {
  it('keeps stages with deals and their category; other stages can be removed', async () => {
    const stages = [OPEN, stage('b', 'open'), WON, LOST];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const deal = await makeDeal(tenant.api, { pipelineId, stage: 'b' });
    for (const refused of [
      [OPEN, WON, LOST],
      [OPEN, stage('b', 'lost'), WON, LOST],
    ]) {
      const answer = await patch(pipelineId, { stages: refused });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({ code: 'in_use' });
    }
    expect((await tenant.api.get(`${PIPELINES}/${pipelineId}`)).body).toMatchObject({ version: 1 });
    const renamed = [stage('b', 'open', { name: 'B!', probability: 9 }), WON, LOST];
    expect((await patch(pipelineId, { stages: renamed })).status).toBe(200);
    expect((await tenant.api.get(`${DEALS}/${deal.id}`)).body).toMatchObject({ stage: 'b', probability: 50 });
  });

  it('moves the deals of removed stages to the one that is named, closed ones too', async () => {
    const stages = [OPEN, stage('b', 'open'), WON, LOST];
    const { id: pipelineId } = await makePipeline(tenant.api, { stages });
    const [open, won, trashed] = await Promise.all(
      [1, 2, 3].map(() => makeDeal(tenant.api, { pipelineId, stage: 'b' })),
    );
    const closed = await act(tenant.api, won!.id, 'win');
    await tenant.api.delete(`${DEALS}/${trashed!.id}`);
    const next = stage('c', 'open', { probability: 70 });
    const faults = async (body: object) => {
      const answer = await patch(pipelineId, body);
      return [answer.status, (answer.body as { errors?: { pointer: string; code: string }[] }).errors?.[0]];
    };
    const less = [OPEN, next, WON, LOST];
    expect(await faults({ stages: less, moveTo: 'b' })).toMatchObject([
      400,
      { pointer: '/moveTo', code: 'unknown_stage' },
    ]);
    expect(await faults({ stages: less, moveTo: 'l' })).toMatchObject([
      400,
      { pointer: '/moveTo', code: 'invalid_value' },
    ]);
    expect(await faults({ moveTo: 'a' })).toMatchObject([400, { pointer: '/moveTo', code: 'invalid_value' }]);
    expect(await patch(pipelineId, { stages: less, moveTo: 'c' })).toMatchObject({ status: 200, body: { version: 2 } });
    const read = async (id: string) => (await tenant.api.get<ShownDeal>(`${DEALS}/${id}`)).body;
    expect(await read(open!.id)).toMatchObject({ stage: 'c', probability: 70 });
    expect((await eventsOf(platform, tenant, open!.id)).at(-1)).toMatchObject({ type: 'sales.deal.stage_changed' });
    const win = { stages: [OPEN, next, stage('signed', 'won'), LOST], moveTo: 'signed' };
    expect((await patch(pipelineId, win)).status).toBe(200);
    const { closedAt, stageEnteredAt } = closed;
    expect(await read(won!.id)).toMatchObject({ stage: 'signed', status: 'won', closedAt, stageEnteredAt });
    expect(await act(tenant.api, trashed!.id, 'restore')).toMatchObject({ stage: 'a', status: 'open' });
  });

  it('cannot be deleted while it is the default or has deals outside the trash', async () => {
    const [first] = await defaults();
    const { id: pipelineId } = await makePipeline(tenant.api, { stages: [OPEN, WON, LOST] });
    const [deal, lost] = [await makeDeal(tenant.api, { pipelineId }), await makeDeal(tenant.api, { pipelineId })];
    await act(tenant.api, lost.id, 'lose', { lostReason: 'price' });
    await tenant.api.delete(`${DEALS}/${lost.id}`);
    const refused = async (id: string) => {
      const answer = await tenant.api.delete(`${PIPELINES}/${id}`);
      expect([answer.status, answer.body['code']]).toEqual([409, 'in_use']);
    };
    await refused(first!);
    await refused(pipelineId);
    await tenant.api.delete(`${DEALS}/${deal.id}`);
    expect((await tenant.api.delete(`${PIPELINES}/${pipelineId}`)).status).toBe(200);
    const there = { pipelineId: first };
    expect(await act(tenant.api, deal.id, 'restore')).toMatchObject({
      ...there,
      stage: 'qualification',
      probability: 10,
    });
    expect(await act(tenant.api, lost.id, 'restore')).toMatchObject({ ...there, stage: 'lost', status: 'lost' });
  });

  it('can be archived: it keeps its deals and gets no more', async () => {
    const [first] = await defaults();
    const { id: pipelineId } = await makePipeline(tenant.api, { stages: [OPEN, WON, LOST] });
    const deal = await makeDeal(tenant.api, { pipelineId });
    const archive = (id: string) => tenant.api.post(`${PIPELINES}/${id}/archive`);
    expect(await archive(first!)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await archive(pipelineId)).toMatchObject({ status: 200, body: { archivedAt: expect.any(String) } });
    expect((await list()).map(({ id }) => id)).toEqual([first]);
    const into = await tenant.api.post(DEALS, { name: 'x', pipelineId });
    expect(into.body['errors']).toMatchObject([{ pointer: '/pipelineId', code: 'unknown_reference' }]);
    expect(await patch(pipelineId, { isDefault: true })).toMatchObject({
      status: 409,
      body: { code: 'record_locked' },
    });
    expect(await act(tenant.api, deal.id, 'win')).toMatchObject({ pipelineId, status: 'won' });
    expect((await tenant.api.post(`${PIPELINES}/${pipelineId}/unarchive`)).status).toBe(200);
    await makeDeal(tenant.api, { pipelineId });
  });
});

describe('the default', () => {
  it('moves from one pipeline to another, and new deals follow', async () => {
    const [first] = await defaults();
    const made = await makePipeline(tenant.api, { isDefault: true, stages: [OPEN, WON, LOST] });
    expect(made.isDefault).toBe(true);
    expect(await defaults()).toEqual([made.id]);
    expect(await makeDeal(tenant.api)).toMatchObject({ pipelineId: made.id, stage: 'a' });
    expect((await patch(first!, { isDefault: true, name: 'Old' })).body).toMatchObject({
      isDefault: true,
      name: 'Old',
    });
    expect(await defaults()).toEqual([first]);
    expect(await makeDeal(tenant.api)).toMatchObject({ pipelineId: first, stage: 'qualification' });
  });

  it('cannot be unset, only moved', async () => {
    const [first] = await defaults();
    const answer = await patch(first!, { isDefault: false });
    expect([answer.status, (answer.body as object as { code: string }).code]).toEqual([409, 'in_use']);
    expect((await patch(first!, { isDefault: true })).body).toMatchObject({ version: 1 });
    expect(await defaults()).toEqual([first]);
  });

  it('is exactly one after ten concurrent switches, all of which succeed', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, (_, i) => makePipeline(tenant.api, { name: `p${i}` })));
    const answers = await Promise.all(made.map(({ id }) => patch(id, { isDefault: true })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = await defaults();
    expect(left).toHaveLength(1);
    expect(made.map(({ id }) => id)).toContain(left[0]);
    expect(await makeDeal(tenant.api)).toMatchObject({ pipelineId: left[0] });
  });
});

it('is never cached beyond a change, not even by another process', async () => {
  const second = await startPlatform({ shared: platform.database });
  try {
    const there = await second.key(tenant, ['*']);
    const { api: here } = tenant;
    const stages = [OPEN, stage('b', 'open', { probability: 20 }), WON, LOST];
    const { id } = await makePipeline(here, { isDefault: true, stages });
    for (const api of [here, there]) expect(await makeDeal(api, { stage: 'b' })).toMatchObject({ probability: 20 });
    for (let probability = 30; probability < 35; probability++) {
      const [writer, reader] = probability % 2 ? [there, here] : [here, there];
      await writer.patch(`${PIPELINES}/${id}`, { stages: [OPEN, stage('b', 'open', { probability }), WON, LOST] });
      expect(await makeDeal(reader, { stage: 'b' })).toMatchObject({ probability });
    }
    const next = await makePipeline(there, { isDefault: true });
    expect(await makeDeal(here)).toMatchObject({ pipelineId: next.id });
    await here.patch(`${PIPELINES}/${next.id}`, { stages: [OPEN, stage('c', 'open'), WON, LOST] });
    await there.patch(`${PIPELINES}/${next.id}`, { stages: [OPEN, WON, LOST] });
    const refused = await here.post(DEALS, { name: 'x', stage: 'c' });
    expect([refused.status, refused.body['code']]).toEqual([400, 'validation_failed']);
  } finally {
    await second.close();
  }
});
