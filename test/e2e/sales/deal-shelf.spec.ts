import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { act, DEALS, makeDeal, makePipeline } from './deal-calls.js';
import { auditOf, eventsOf } from '../../harness/written.js';

let platform: TestPlatform;
let tenant: TestTenant;
let id: string;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  ({ id } = await makeDeal(tenant.api));
});
afterAll(() => platform.close());

const call = (action: string, body?: object) => tenant.api.post(`${DEALS}/${id}/${action}`, body);
const do_ = (action: string, body?: object) => act(tenant.api, id, action, body);
const patch = (body: object) => tenant.api.patch(`${DEALS}/${id}`, body);
const listed = async (query = '') =>
  (await tenant.api.get<{ data: { id: string }[] }>(`${DEALS}${query}`)).body.data.map((deal) => deal.id);

describe('an archived deal', () => {
  it('is hidden from lists, readable by id, and can be unarchived', async () => {
    const archived = await do_('archive');
    expect(Date.now() - Date.parse(archived.archivedAt!)).toBeLessThan(5_000);
    expect(archived).toMatchObject({ stage: 'qualification', status: 'open', version: 2 });
    expect(archived.allowedActions).toEqual(['unarchive', 'delete']);
    expect(await listed()).toEqual([]);
    expect(await listed('?includeArchived=true')).toEqual([id]);
    expect(await listed('?includeArchived=false')).toEqual([]);
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toEqual(archived);
    expect(await do_('unarchive')).toMatchObject({ archivedAt: null, version: 3 });
    expect(await listed()).toEqual([id]);
  });

  it('is read-only', async () => {
    await do_('archive');
    const edited = await patch({ name: 'y' });
    expect([edited.status, edited.body['code']]).toEqual([409, 'record_locked']);
    for (const [action, body] of [
      ['move', { stage: 'demo' }],
      ['win', {}],
      ['archive', undefined],
    ] as const)
      expect((await call(action, body)).body).toMatchObject({
        status: 409,
        code: 'invalid_transition',
        action,
        allowedActions: ['unarchive', 'delete'],
      });
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ version: 2 });
  });

  it('is archived and unarchived by an updated event', async () => {
    await do_('archive');
    await do_('unarchive');
    const events = await eventsOf(platform, tenant, id);
    expect(events.map(({ type }) => type)).toEqual(['sales.deal.created', 'sales.deal.updated', 'sales.deal.updated']);
    expect(Object.keys(events[1]!.changes!)).toEqual(['archivedAt']);
    expect((await call('unarchive')).body).toMatchObject({ code: 'invalid_transition', action: 'unarchive' });
  });
});

describe('a deleted deal', () => {
  it('returns 404 for every operation by id except restore', async () => {
    const deleted = await tenant.api.delete(`${DEALS}/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ id, object: 'sales.deal', deleted: true, deletedAt: expect.any(String) as string });
    for (const answer of [
      await tenant.api.get(`${DEALS}/${id}`),
      await patch({ name: 'y' }),
      await patch({ status: 'won' }),
      await tenant.api.delete(`${DEALS}/${id}`),
      await call('win'),
      await call('archive'),
    ])
      expect([answer.status, answer.body['code']]).toEqual([404, 'not_found']);
    expect(await listed()).toEqual([]);
    expect(await listed('?includeArchived=true')).toEqual([]);
    const restored = await do_('restore');
    expect(restored).toMatchObject({ id, deletedAt: null, version: 3, stage: 'qualification' });
    expect(await listed()).toEqual([id]);
    expect((await call('restore')).body).toMatchObject({ status: 409, code: 'invalid_transition', action: 'restore' });
  });

  it('is listed only with includeDeleted and the permission to delete', async () => {
    await tenant.api.delete(`${DEALS}/${id}`);
    const list = await tenant.api.get<{ data: object[] }>(`${DEALS}?includeDeleted=true`);
    expect(list.body.data).toMatchObject([{ id, deletedAt: expect.any(String) as string }]);
    const reader = await platform.key(tenant, ['deals:read', 'deals:write', 'deals:close']);
    const refused = await reader.get(`${DEALS}?includeDeleted=true`);
    expect([refused.status, refused.body['code']]).toEqual([403, 'permission_denied']);
    expect((await reader.get(`${DEALS}?includeDeleted=false`)).status).toBe(200);
  });

  it('may have been lost or archived, but not won', async () => {
    await do_('win');
    const refused = await tenant.api.delete(`${DEALS}/${id}`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'record_locked']);
    await do_('archive');
    expect((await tenant.api.delete(`${DEALS}/${id}`)).status).toBe(409);
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ deletedAt: null, status: 'won' });
    ({ id } = await makeDeal(tenant.api));
    await do_('lose', { lostReason: 'price' });
    await do_('archive');
    expect((await tenant.api.delete(`${DEALS}/${id}`)).status).toBe(200);
    expect(await do_('restore')).toMatchObject({ status: 'lost', archivedAt: expect.any(String) as string });
  });

  it('emits the events deleted and restored and writes their audit entries', async () => {
    await tenant.api.delete(`${DEALS}/${id}`);
    await do_('restore');
    const verbs = ['sales.deal.created', 'sales.deal.deleted', 'sales.deal.restored'];
    expect((await eventsOf(platform, tenant, id)).map(({ type }) => type)).toEqual(verbs);
    const audit = await auditOf(platform, tenant, id);
    expect(audit.map(({ action }) => action)).toEqual(verbs);
    expect(Object.keys(audit[1]!.changes!)).toEqual(['deletedAt']);
    expect(audit[1]!.riskLevel).toBe('medium');
  });
});

describe('PATCH as shorthand', () => {
  it('for the status wins, loses and reopens', async () => {
    expect((await patch({ status: 'won', closedAt: '2026-02-03T00:00:00Z' })).body).toMatchObject({
      status: 'won',
      closedAt: '2026-02-03T00:00:00.000Z',
    });
    // The window of 30 days counts from closedAt.
    expect((await patch({ status: 'open', reason: 'x' })).body).toMatchObject({ code: 'reopen_window_passed' });
    ({ id } = await makeDeal(tenant.api));
    await patch({ status: 'won' });
    expect((await patch({ status: 'won' })).body).toMatchObject({ code: 'invalid_transition', action: 'win' });
    expect((await patch({ status: 'open', reason: 'x', stage: 'demo' })).body).toMatchObject({ stage: 'demo' });
    expect((await patch({ status: 'lost', lostReason: 'price' })).body).toMatchObject({ stage: 'lost' });
    const verbs = (await eventsOf(platform, tenant, id)).map(({ type }) => type.split('.').at(-1));
    expect(verbs).toEqual(['created', 'won', 'reopened', 'lost']);
  });

  it('for stage and pipeline moves', async () => {
    expect((await patch({ stage: 'demo', probability: 26 })).body).toMatchObject({ stage: 'demo', probability: 26 });
    expect((await patch({ stage: 'demo' })).body).toMatchObject({ code: 'invalid_transition', action: 'move' });
    const { id: pipelineId } = await makePipeline(tenant.api);
    expect((await patch({ pipelineId, stage: 'proposal' })).body).toMatchObject({ pipelineId, stage: 'proposal' });
    const verbs = (await eventsOf(platform, tenant, id)).map(({ type }) => type.split('.').at(-1));
    expect(verbs).toEqual(['created', 'stage_changed', 'stage_changed']);
  });

  it.each([
    [{ status: 'won', name: 'y' }, '/name', 'not_with_transition'],
    [{ status: 'won', stage: 'demo' }, '/stage', 'not_with_transition'],
    [{ status: 'won', lostReason: 'price' }, '/lostReason', 'not_with_transition'],
    [{ stage: 'demo', value: 5 }, '/value', 'not_with_transition'],
    [{ status: 'lost' }, '/lostReason', 'required'],
    [{ status: 'open' }, '/reason', 'required'],
    [{ closedAt: '2026-02-03T00:00:00Z' }, '/closedAt', 'only_with_transition'],
    [{ reason: 'x' }, '/reason', 'only_with_transition'],
    [{ competitor: 'x' }, '/competitor', 'only_with_transition'],
    [{ status: 'archived' }, '/status', 'invalid_value'],
  ])('cannot be combined with other changes: %j', async (body, pointer, code) => {
    const answer = await patch(body);
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed']);
    expect(answer.body['errors']).toMatchObject([{ pointer, code }]);
    expect((await tenant.api.get(`${DEALS}/${id}`)).body).toMatchObject({ version: 1 });
  });
});

describe('an edit', () => {
  it('without changes keeps the version and emits no event', async () => {
    expect((await patch({ name: 'a deal', nextStep: null })).body).toMatchObject({ version: 1 });
    expect(await eventsOf(platform, tenant, id)).toHaveLength(1);
  });

  it('accepts as renewed deal only another deal of the tenant', async () => {
    const old = await makeDeal(tenant.api);
    expect((await patch({ renewalOfDealId: old.id })).body).toMatchObject({ renewalOfDealId: old.id });
    const foreign = await makeDeal((await platform.tenant()).api);
    for (const [renewalOfDealId, code] of [
      [foreign.id, 'unknown_reference'],
      [id, 'invalid_value'],
    ]) {
      const answer = await patch({ renewalOfDealId });
      expect(answer.status).toBe(400);
      expect(answer.body['errors']).toMatchObject([{ pointer: '/renewalOfDealId', code }]);
    }
    const answer = await tenant.api.post(DEALS, { name: 'x', renewalOfDealId: foreign.id });
    expect(answer.body['errors']).toMatchObject([{ pointer: '/renewalOfDealId', code: 'unknown_reference' }]);
    expect((await patch({ renewalOfDealId: null })).body).toMatchObject({ renewalOfDealId: null });
  });
});

describe('the effect of scopes', () => {
  it.each([
    ['deals:read', []],
    ['deals:write', ['edit', 'move', 'change-pipeline', 'archive', 'unarchive']],
    ['deals:close', ['win', 'lose', 'reopen']],
    ['deals:delete', ['delete', 'restore']],
  ])('%s allows %j', async (scope, allowed) => {
    const key = await platform.key(tenant, [scope]);
    const at = `${DEALS}/${id}`;
    const { id: pipelineId } = await makePipeline(tenant.api);
    const answers = {
      edit: await key.patch(at, { name: 'y' }),
      move: await key.post(`${at}/move`, { stage: 'demo' }),
      'change-pipeline': await key.post(`${at}/change-pipeline`, { pipelineId }),
      lose: await key.post(`${at}/lose`, { lostReason: 'price' }),
      reopen: await key.post(`${at}/reopen`, { reason: 'x' }),
      win: await key.post(`${at}/win`),
      archive: await key.post(`${at}/archive`),
      unarchive: await key.post(`${at}/unarchive`),
      delete: await key.delete(at),
      restore: await key.post(`${at}/restore`),
    };
    const entries = Object.entries(answers);
    expect(
      entries
        .filter(([, { status }]) => status === 200)
        .map(([action]) => action)
        .sort(),
    ).toEqual([...allowed].sort());
    for (const [, { status, body }] of entries.filter(([action]) => !allowed.includes(action)))
      expect([status, body['code']]).toEqual([403, 'permission_denied']);
  });

  it('is not extended by the shorthand: deals:write cannot win by PATCH', async () => {
    const writer = await platform.key(tenant, ['deals:read', 'deals:write']);
    for (const body of [{ status: 'won' }, { status: 'lost', lostReason: 'price' }]) {
      const answer = await writer.patch(`${DEALS}/${id}`, body);
      expect([answer.status, answer.body['code']]).toEqual([403, 'permission_denied']);
    }
    expect((await writer.get(`${DEALS}/${id}`)).body['allowedActions']).toEqual(['move', 'change-pipeline', 'archive']);
  });
});
