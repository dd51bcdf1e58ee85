import type { ShownGate } from '#src/areas/setup/settings/gates.dto.js';
import type { SettingsView } from '#src/areas/setup/settings/settings.dto.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { person } from '../admin/people-calls.js';

/** Single gates of the section `gates` of the settings. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const GATES = '/api/settings/gates';
const SETTINGS = '/api/admin/settings';
const WIN = `${GATES}/deal.win`;
const LARGE = { field: 'valueMinor', op: 'gte', value: 1_000_000 };

type Changed = ShownGate & { pendingApproval: { id: string } | null };
const change = (patch: object, api: Client = tenant.api, path = WIN) => api.patch<Changed>(path, patch);
const read = async (path = WIN) => (await tenant.api.get<ShownGate>(path)).body;
const inSettings = async () => (await tenant.api.get<SettingsView>(SETTINGS)).body.gates;
const winOne = async () => {
  const { body } = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Acme' });
  return tenant.api.post(`/api/v1/sales/deals/${body.id}/win`);
};

it('are listed with their actions, off unless the tenant has set them', async () => {
  const { body } = await tenant.api.get<{ data: ShownGate[] }>(GATES);
  const keys = body.data.map(({ key }) => key);
  expect(keys).toEqual([...keys].sort());
  expect(keys).toEqual(
    expect.arrayContaining(['deal.win', 'invoice.issue', 'payment.refund', 'ai.job.run', 'role.grant_privileged']),
  );
  expect(body.data.every(({ enabled, isDefault, waiting }) => !enabled && isDefault && waiting === 0)).toBe(true);
  const win = body.data.find(({ key }) => key === 'deal.win')!;
  expect(win).toMatchObject({ appliesTo: [{ object: 'sales.deal', action: 'win' }], quorum: 1, expiresInHours: 72 });
  expect(win.fields).toContain('valueMinor');
  expect(await read()).toEqual(expect.objectContaining(win));
  const privileged = body.data.find(({ key }) => key === 'role.grant_privileged')!;
  expect(privileged.appliesTo).toContainEqual({ object: 'core.membership', action: null });
});

it('count their pending requests', async () => {
  await change({ enabled: true });
  for (let i = 0; i < 2; i++) expect(await winOne()).toMatchObject({ status: 202 });
  expect(await read()).toMatchObject({ enabled: true, isDefault: false, waiting: 2 });
});

it('are changed member by member; the settings show it and the next request applies it', async () => {
  expect(await change({ enabled: true, conditions: [LARGE], quorum: 2 })).toMatchObject({
    status: 200,
    body: { enabled: true, effect: 'require_approval', quorum: 2, version: 2, pendingApproval: null },
  });
  expect(await winOne()).toMatchObject({ status: 200 });
  expect(await change({ conditions: [], approvers: { permission: 'deals:close' } })).toMatchObject({
    body: { conditions: [], quorum: 2, approvers: { permission: 'deals:close', memberIds: [] }, version: 3 },
  });
  expect(await winOne()).toMatchObject({ status: 202 });
  expect(await inSettings()).toMatchObject([{ key: 'deal.win', quorum: 2 }]);
  await change({ enabled: true }, tenant.api, `${GATES}/invoice.issue`);
  expect(await inSettings()).toMatchObject([{ key: 'deal.win' }, { key: 'invoice.issue', enabled: true }]);
  expect(await tenant.api.get(`${SETTINGS}?section=gates`)).toMatchObject({ body: { version: 4 } });
});

it('hold changes that relax them, also over this route', async () => {
  const bob = await person(platform, tenant, 'owner');
  await change({ enabled: true });
  const { status, body } = await change({ enabled: false });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { enabled: true, pendingApproval: { status: 'pending' } },
  });
  expect(await read()).toMatchObject({ enabled: true, waiting: 1 });
  const approval = `/api/home/approvals/${body.pendingApproval!.id}`;
  expect(await bob.api.post(`${approval}/approve`)).toMatchObject({ body: { status: 'executed' } });
  expect(await read()).toMatchObject({ enabled: false, waiting: 0 });
});

it('can only be relaxed by owners if they deny', async () => {
  const [owner, admin] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'admin')];
  await change({ enabled: true, effect: 'deny' });
  expect(await change({ enabled: false }, admin.api)).toMatchObject({ status: 403, body: { code: 'gate_denied' } });
  expect(await change({ enabled: false }, owner.api)).toMatchObject({ status: 200, body: { enabled: false } });
});

it('are protected, for administrators, and known', async () => {
  const { api } = await platform.member(tenant, 'Ada'); // her key may not do protected operations
  expect(await change({ enabled: true }, api)).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
  const manager = await platform.member(tenant, 'Max', ['*'], { roles: ['manager'] });
  expect(await change({ enabled: true }, manager.api)).toMatchObject({ status: 403 });
  expect(await manager.api.get(WIN)).toMatchObject({ status: 200 });
  for (const answer of [
    await tenant.api.get(`${GATES}/deal.nothing`),
    await change({}, tenant.api, `${GATES}/nothing`),
  ])
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

it('report errors with pointers relative to the gate', async () => {
  await change({ enabled: true }, tenant.api, `${GATES}/invoice.issue`);
  const refused = (pointer: string, code: string) => ({ status: 400, body: { errors: [{ pointer, code }] } });
  expect(await change({ conditions: [{ ...LARGE, field: 'nothing' }] })).toMatchObject(
    refused('/conditions/0/field', 'unknown_field'),
  );
  const nobody = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40';
  expect(await change({ approvers: { memberIds: [nobody] } })).toMatchObject(
    refused('/approvers/memberIds', 'unknown_reference'),
  );
  expect(await change({ quorum: 9 })).toMatchObject(refused('/quorum', 'out_of_range'));
  expect(await change({ version: 1, quorum: 2 })).toMatchObject({ status: 409, body: { code: 'stale_version' } });
  const answer = await tenant.api.patch(WIN, { quorum: 2 }, { 'if-match': '"1"' });
  expect(answer).toMatchObject({ status: 412 });
});

it('lose no concurrent changes', async () => {
  await change({ enabled: true });
  const keys = ['invoice.issue', 'invoice.void', 'payment.refund', 'ai.job.run'];
  const answers = await Promise.all(keys.map((key) => change({ enabled: true }, tenant.api, `${GATES}/${key}`)));
  expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
  expect(await inSettings()).toHaveLength(5);
});
