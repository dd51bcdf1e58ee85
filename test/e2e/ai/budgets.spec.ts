import { uuidv7 } from '#libs/kernel/id.js';
import { Purse } from '../../harness/ai-money.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform } from '../../harness/platform.js';

const platform = await startPlatform();
const tenant = await platform.tenant();
const purse = new Purse(platform, tenant);
const PATH = '/api/ai/budgets';
afterAll(() => platform.close());

it('a budget is created, read, changed and deleted, each with audit entry and event', async () => {
  const body = {
    scope: { type: 'model', id: 'acme/large-1' },
    period: 'week',
    limitMicros: 5_000,
    softLimitMicros: 4_000,
  };
  const made = await tenant.api.post<{ id: string }>(PATH, body);
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    ...body,
    object: 'ai.budget',
    hardStop: true,
    enabled: true,
    spentMicros: 0,
    version: 1,
  });
  const path = `${PATH}/${made.body.id}`;
  const changed = await tenant.api.patch(path, { limitMicros: 9_000, enabled: false }, { 'if-match': '"1"' });
  expect(changed.body).toMatchObject({ limitMicros: 9_000, enabled: false, remainingMicros: 9_000, version: 2 });
  expect((await tenant.api.patch(path, { limitMicros: 9_000 })).body).toMatchObject({ version: 2 });
  expect((await tenant.api.patch(path, { limitMicros: 1 }, { 'if-match': '"1"' })).status).toBe(412);
  const page = await tenant.api.get<{ data: unknown[] }>(`${PATH}?scopeType=model&enabled=false`);
  expect(page.body.data).toEqual([changed.body]);
  expect((await tenant.api.delete(path)).body).toMatchObject({ id: made.body.id, deleted: true });
  expect((await tenant.api.get(path)).status).toBe(404);
  expect((await tenant.api.patch(path, {})).status).toBe(404);
  const audit = await tenant.api.get<{ data: { action: string }[] }>(`/api/admin/audit-logs?targetId=${made.body.id}`);
  expect(audit.body.data.map(({ action }) => action)).toEqual([
    'ai.budget.deleted',
    'ai.budget.updated',
    'ai.budget.created',
  ]);
  const events = await asAdmin<{ type: string }>(
    platform.database,
    `select type from data.events where subject_id = $1 order by id`,
    [made.body.id],
  );
  expect(events.map(({ type }) => type)).toEqual(['ai.budget.created', 'ai.budget.updated', 'ai.budget.deleted']);
});

it('there is only one budget per scope and period', async () => {
  const body = { scope: { type: 'tenant' }, period: 'month', limitMicros: 1_000 };
  const first = await tenant.api.post<{ id: string }>(PATH, body);
  const second = await tenant.api.post(PATH, body);
  expect(second.status).toBe(409);
  expect(second.body).toMatchObject({ code: 'duplicate', field: 'scope' });
  await tenant.api.delete(`${PATH}/${first.body.id}`);
  const third = await tenant.api.post<{ id: string }>(PATH, body);
  expect(third.status).toBe(201);
  await tenant.api.delete(`${PATH}/${third.body.id}`);
});

it.each([
  [{ scope: { type: 'tenant', id: uuidv7() } }, '/scope/id', 'invalid_value'],
  [{ scope: { type: 'member' } }, '/scope/id', 'required'],
  [{ scope: { type: 'member', id: 'me' } }, '/scope/id', 'invalid_id'],
  [{ scope: { type: 'member', id: uuidv7() } }, '/scope/id', 'unknown_reference'],
  [{ scope: { type: 'workspace', id: uuidv7() } }, '/scope/id', 'unknown_reference'],
  [{ scope: { type: 'agent', id: uuidv7() } }, '/scope/id', 'unknown_reference'],
  [{ scope: { type: 'api_key', id: uuidv7() } }, '/scope/id', 'unknown_reference'],
  [{ scope: { type: 'model', id: 'large-1' } }, '/scope/id', 'invalid_format'],
  [{ softLimitMicros: 1_001 }, '/softLimitMicros', 'too_large'],
])('%j is refused', async (body, pointer, code) => {
  const answer = await tenant.api.post(PATH, { scope: { type: 'tenant' }, period: 'day', limitMicros: 1_000, ...body });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ errors: [{ pointer, code }] });
});

it('the budget of a key covers its rotations, that of a member their requests', async () => {
  const { rows: keys } = { rows: await asAdmin<{ lineage_id: string }>(platform.database, `select lineage_id from directory.credentials where tenant_id = $1`, [tenant.id]) }; // prettier-ignore
  const apiKeyId = keys[0]!.lineage_id;
  const { id: memberId } = await platform.member(tenant, 'Ana');
  for (const scope of [
    { type: 'api_key', id: apiKeyId },
    { type: 'member', id: memberId },
  ])
    await purse.budget({ scope, period: 'day', limitMicros: 1_000 });
  await purse.reserve(1_000, { apiKeyId });
  await expect(purse.reserve(1, { apiKeyId })).rejects.toMatchObject({ code: 'budget_exhausted' });
  await purse.reserve(1_000, { memberId });
  await expect(purse.reserve(1, { memberId })).rejects.toMatchObject({ code: 'budget_exhausted' });
  await purse.reserve(1_000_000);
});

it('limits can change while money is reserved: new jobs respect them, existing reservations are settled', async () => {
  const own = new Purse(platform, await platform.tenant());
  const id = await own.budget({ limitMicros: 1_000 });
  const held = await own.reserve(800);
  const lowered = await own.tenant.api.patch(`${PATH}/${id}`, { limitMicros: 100 });
  expect(lowered.body).toMatchObject({ limitMicros: 100, reservedMicros: 800, remainingMicros: 0 });
  await expect(own.reserve(1)).rejects.toMatchObject({ code: 'budget_exhausted' });
  await own.settle(held, 50);
  await own.lower(held, 60);
  await own.reserve(40);
  await expect(own.reserve(1)).rejects.toMatchObject({ code: 'budget_exhausted' });
  const path = `${PATH}/${id}`;
  await own.tenant.api.delete(path);
  await own.settle(held, 10);
  await own.release(held);
  await own.reserve(1_000_000);
  expect(await own.mismatches()).toEqual([]);
  expect((await own.counters()).find(({ kind }) => kind === 'budget')).toMatchObject({ held: 40, spent: 60 });
});

it('budgets are readable with ai-jobs:read-all and changed with ai-budgets:manage', async () => {
  const reader = await platform.key(tenant, ['ai-jobs:read-all']);
  const manager = await platform.key(tenant, ['ai-budgets:manage']);
  expect((await reader.get(PATH)).status).toBe(200);
  expect((await reader.post(PATH, { scope: { type: 'tenant' }, period: 'day', limitMicros: 1 })).status).toBe(403);
  expect((await manager.get(PATH)).status).toBe(403);
});
