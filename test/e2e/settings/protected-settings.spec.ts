import type { SettingsView } from '#src/areas/setup/settings/settings.dto.js';
import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { Answer, Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { person } from '../admin/people-calls.js';

/** The sections that guard the others: who may change them, and that no gate is loosened past itself. */
let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

const SETTINGS = '/api/admin/settings';
const APPROVALS = '/api/home/approvals';
const WIN = { key: 'deal.win', effect: 'require_approval' };
const LARGE = { field: 'valueMinor', op: 'gte', value: 1_000_000 };

type Changed = SettingsView & { pendingApproval: { id: string } | null; changed: string[] };
const set = (patch: object, as: Client = tenant.api): Promise<Answer<Changed>> => as.patch<Changed>(SETTINGS, patch);
const gatesOf = async () => (await tenant.api.get<SettingsView>(SETTINGS)).body.gates;

describe('gates and security', () => {
  it('take what protected operations take, and nothing else does', async () => {
    const { api } = await platform.member(tenant, 'Ada'); // her key may not do protected operations
    const refused = { status: 403, body: { code: 'step_up_required' } };
    expect(await set({ gates: [WIN] }, api)).toMatchObject(refused);
    expect(await set({ gates: null }, api)).toMatchObject(refused);
    expect(await set({ security: { allowedEmailDomains: ['acme.test'] } }, api)).toMatchObject(refused);
    expect(await set({ sales: { dealReopenDays: 9 }, security: null }, api)).toMatchObject(refused);
    expect(await set({ sales: { dealReopenDays: 9 } }, api)).toMatchObject({ status: 200, body: { version: 2 } });
    expect(await gatesOf()).toEqual([]);
  });
});

describe('a gate that asks for approval', () => {
  it.each([
    ['without it', []],
    ['switched off', [{ ...WIN, enabled: false }]],
    ['on fewer grounds', [{ ...WIN, conditions: [LARGE] }]],
    ['with a smaller quorum', [{ ...WIN, quorum: 1 }]],
    ['with self-approval', [{ ...WIN, quorum: 2, allowSelfApproval: true }]],
  ])('waits at itself to be loosened: %s', async (_, gates) => {
    await set({ gates: [{ ...WIN, quorum: 2 }] });
    const before = await gatesOf();
    const { status, body } = await set({ gates, sales: { dealReopenDays: 9 } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 2, changed: [], pendingApproval: { status: 'pending' } });
    expect(await gatesOf()).toEqual(before);
    expect(await set({ gates })).toMatchObject({ status: 409, body: { code: 'approval_pending' } });
    // Two have to approve, as for a deal, and who asked is neither.
    const [ada, bob] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
    const approve = (api: Client) => api.post<ApprovalView>(`${APPROVALS}/${body.pendingApproval!.id}/approve`);
    expect(await approve(tenant.api)).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
    expect(await approve(ada.api)).toMatchObject({ body: { status: 'pending', gate: 'deal.win' } });
    expect(await gatesOf()).toEqual(before);
    expect(await approve(bob.api)).toMatchObject({ body: { status: 'executed' } });
    expect(await gatesOf()).toMatchObject(gates);
    expect(await tenant.api.get(SETTINGS)).toMatchObject({ body: { version: 3, sales: { dealReopenDays: 9 } } });
  });

  it.each([
    ['more approvers', { approvers: { roleIds: [] } }],
    ['another permission', { approvers: { roleIds: ['role'], permission: null } }],
    ['a manager too', { approvers: { roleIds: ['role'], permission: 'deals:close', managerOfRequester: true } }],
  ])('waits for %s', async (_, { approvers }) => {
    const made = await tenant.api.post<{ id: string }>('/api/admin/roles', { name: 'x', permissions: ['deals:read'] });
    const roleIds = [made.body.id];
    await set({ gates: [{ ...WIN, approvers: { roleIds, permission: 'deals:close' } }] });
    const named = approvers.roleIds.length > 0 ? { ...approvers, roleIds } : approvers;
    expect(await set({ gates: [{ ...WIN, approvers: named }] })).toMatchObject({
      body: { pendingApproval: { status: 'pending' } },
    });
  });

  it('is made stricter at once', async () => {
    const made = await tenant.api.post<{ id: string }>('/api/admin/roles', { name: 'x', permissions: ['deals:read'] });
    const steps = [
      { ...WIN, conditions: [LARGE, { field: 'currency', op: 'eq', value: 'USD' }] },
      { ...WIN, conditions: [LARGE] },
      { ...WIN },
      { ...WIN, quorum: 2 },
      { ...WIN, quorum: 2, approvers: { roleIds: [made.body.id] } },
      { ...WIN, effect: 'deny' },
    ];
    for (const [index, gate] of steps.entries())
      expect(await set({ gates: [gate] })).toMatchObject({
        status: 200,
        body: { version: index + 2, pendingApproval: null },
      });
  });

  it('is loosened one at a time', async () => {
    await set({ gates: [WIN, { ...WIN, key: 'invoice.issue' }] });
    expect(await set({ gates: [] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/gates', code: 'one_at_a_time' }] },
    });
  });

  it('is not loosened by what was approved for settings that have changed since', async () => {
    await set({ gates: [{ ...WIN, allowSelfApproval: true }] });
    const { body } = await set({ gates: [] });
    await set({ sales: { dealReopenDays: 9 } });
    expect(await tenant.api.post(`${APPROVALS}/${body.pendingApproval!.id}/approve`)).toMatchObject({
      body: { status: 'failed', failure: { code: 'stale_target' } },
    });
    expect(await gatesOf()).toHaveLength(1);
  });
});

describe('a gate that denies', () => {
  it('is loosened by owners alone, so that nobody is locked out', async () => {
    const [owner, admin] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'admin')];
    await set({ gates: [{ ...WIN, effect: 'deny', conditions: [LARGE] }] });
    for (const gates of [[], [WIN], [{ ...WIN, effect: 'deny', conditions: [{ ...LARGE, value: 2_000_000 }] }]])
      expect(await set({ gates }, admin.api)).toMatchObject({
        status: 403,
        body: { code: 'gate_denied', gate: 'deal.win' },
      });
    expect(await set({ gates: [{ ...WIN, effect: 'deny' }] }, admin.api)).toMatchObject({ body: { version: 3 } });
    expect(await set({ gates: [] }, owner.api)).toMatchObject({ status: 200, body: { gates: [], version: 4 } });
  });

  it('lets owners out whose approvers are gone: they have it deny, and then loosen it', async () => {
    const owner = await person(platform, tenant, 'owner');
    await set({ gates: [{ ...WIN, quorum: 5 }] });
    expect(await set({ gates: [{ ...WIN, effect: 'deny' }] }, owner.api)).toMatchObject({ body: { version: 3 } });
    expect(await set({ gates: [] }, owner.api)).toMatchObject({ body: { version: 4 } });
  });
});
