import { AUDITED } from '../../harness/audit.js';
import { asAdmin } from '../../harness/database.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN,
  change,
  makeRole,
  makeWorkspace,
  MANAGER,
  MEMBER,
  type Membership,
  MEMBERSHIPS,
  OWNER,
  person,
  tally,
  VIEWER,
} from './people-calls.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);
const SETTINGS = '/api/admin/settings';
const APPROVALS = '/api/home/approvals';

describe('invariants of memberships', () => {
  it.each([
    ['demoted', { roleIds: [MEMBER] }],
    ['suspended', { status: 'suspended' }],
    ['deactivated', { status: 'deactivated' }],
  ])('the last active owner cannot be %s, even concurrently', async (_, body) => {
    const tenant = await platform.tenant();
    const owners = await Promise.all(Array.from({ length: 20 }, () => person(platform, tenant, 'owner')));
    const answers = await Promise.all(owners.map(({ id }) => change(tenant.api, id, body)));
    expect(tally(answers)).toEqual({ 200: 19, 409: 1 });
    expect(answers.find(({ status }) => status === 409)).toMatchObject({ body: { code: 'last_owner' } });
    const [left] = await rows<{ count: number }>(
      `select count(*)::integer as count from data.role_assignments a
         join data.memberships m on m.tenant_id = a.tenant_id and m.id = a.membership_id
       where a.tenant_id = $1 and a.role_id = $2 and m.status = 'active'`,
      [tenant.id, OWNER],
    );
    expect(left).toEqual({ count: 1 });
  });

  it('there are never more active members than seats, even concurrently', async () => {
    const tenant = await platform.tenant({ plan: 'free' });
    const people = await Promise.all(Array.from({ length: 20 }, () => person(platform, tenant, 'member')));
    await rows(`update data.memberships set status = 'suspended', version = 2 where tenant_id = $1`, [tenant.id]);
    const answers = await Promise.all(people.map(({ id }) => change(tenant.api, id, { status: 'active' })));
    expect(tally(answers)).toEqual({ 200: 10, 409: 10 });
    expect(answers.find(({ status }) => status === 409)).toMatchObject({
      body: { code: 'seat_limit', plan: 'free', limit: 10 },
    });
  });

  it('concurrent changes of one member are not lost', async () => {
    const tenant = await platform.tenant();
    const { id } = await person(platform, tenant, 'member');
    const bodies = Array.from({ length: 10 }, (_, i) => ({ title: `Title ${i}` }));
    const answers = await Promise.all(bodies.map((body) => change(tenant.api, id, body)));
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(bodies.map((_, i) => i + 2));
  });

  it('nobody can grant permissions or a reach that they do not hold', async () => {
    const tenant = await platform.tenant();
    const manages = ['members:manage', 'members:read', 'deals:read@workspace'];
    const role = await makeRole(tenant, 'People manager', manages);
    const wide = await makeRole(tenant, 'Deals everywhere', ['deals:read']);
    const narrow = await makeRole(tenant, 'Deals around here', ['deals:read@own']);
    const { api } = await person(platform, tenant, role);
    const { id } = await person(platform, tenant, 'viewer');
    const beyond = { status: 403, body: { code: 'grant_exceeds_rights' } };
    for (const roleId of [ADMIN, MANAGER, wide])
      expect(await change(api, id, { roleIds: [VIEWER, roleId] })).toMatchObject(beyond);
    expect(await change(api, id, { roleIds: [VIEWER, OWNER] })).toMatchObject({ status: 403 });
    expect(await change(api, id, { roleIds: [VIEWER, narrow] })).toMatchObject({ status: 200 });
  });

  it('nobody can extend their own rights', async () => {
    const tenant = await platform.tenant();
    const admin = await person(platform, tenant, 'admin');
    const role = await makeRole(tenant, 'Of their own', ['deals:read']);
    const workspace = await makeWorkspace(tenant.api, 'Another');
    const refused = { status: 403, body: { code: 'not_by_oneself' } };
    expect(await change(admin.api, admin.id, { roleIds: [ADMIN, role] })).toMatchObject(refused);
    expect(await change(admin.api, admin.id, { workspaceIds: [workspace] })).toMatchObject(refused);
    expect(await change(admin.api, admin.id, { roleIds: [ADMIN, OWNER] })).toMatchObject({ status: 403 });
    expect(await change(admin.api, admin.id, { title: 'Me' })).toMatchObject({ status: 200 });
  });

  it('only owners can add or change owners', async () => {
    const tenant = await platform.tenant();
    const [owner, second] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
    const admin = await person(platform, tenant, 'admin');
    const { id } = await person(platform, tenant, 'member');
    for (const [target, body] of [
      [id, { roleIds: [OWNER] }],
      [second.id, { roleIds: [MEMBER] }],
      [second.id, { roleIds: [OWNER, MEMBER] }],
      [second.id, { status: 'suspended' }],
      [second.id, { title: 'Demoted' }],
    ] as const)
      expect(await change(admin.api, target, body)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(await change(owner.api, id, { roleIds: [OWNER] })).toMatchObject({ status: 200 });
    expect(await change(owner.api, second.id, { roleIds: [MEMBER] })).toMatchObject({ status: 200 });
  });

  it('granting or revoking a privileged role requires a second factor or a key for protected operations', async () => {
    const tenant = await platform.tenant();
    const weak = await platform.member(tenant, 'Weak', ['*'], { roles: ['owner'] });
    const powerful = await makeRole(tenant, 'Role maker', ['roles:manage']);
    const admin = await person(platform, tenant, 'admin');
    const { id } = await person(platform, tenant, 'member');
    const refused = { status: 403, body: { code: 'step_up_required' } };
    for (const roleId of [ADMIN, OWNER, powerful])
      expect(await change(weak.api, id, { roleIds: [roleId] })).toMatchObject(refused);
    expect(await change(weak.api, admin.id, { roleIds: [MEMBER] })).toMatchObject(refused);
    expect(await change(weak.api, id, { roleIds: [MANAGER] })).toMatchObject({ status: 200 });
  });
});

describe('the gate for privileged roles', () => {
  const gate = { key: 'role.grant_privileged', effect: 'require_approval' };

  it('parks the change, which is executed once on behalf of the requester', async () => {
    const tenant = await platform.tenant();
    const [asks, decides] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
    const { id } = await person(platform, tenant, 'member');
    expect(await tenant.api.patch(SETTINGS, { gates: [gate] })).toMatchObject({ status: 200 });
    const parked = await change(asks.api, id, { roleIds: [ADMIN], reason: 'Helps out' });
    expect(parked).toMatchObject({
      status: 200,
      body: { roleIds: [MEMBER], version: 1, pendingApproval: { status: 'pending' } },
    });
    expect(await change(asks.api, id, { roleIds: [ADMIN] })).toMatchObject({ body: { code: 'approval_pending' } });
    const path = `${APPROVALS}/${parked.body.pendingApproval!.id}/approve`;
    expect(await asks.api.post(path)).toMatchObject({ status: 403 });
    expect(await decides.api.post(path)).toMatchObject({ status: 200, body: { status: 'executed' } });
    expect(await decides.api.post(path)).toMatchObject({ status: 409 });
    expect((await tenant.api.get<Membership>(`${MEMBERSHIPS}/${id}`)).body).toMatchObject({
      roleIds: [ADMIN],
      version: 2,
    });
    const entries = await rows<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where target_id = $1 and action = 'core.membership.updated'`,
      [id],
    );
    expect(entries).toHaveLength(1);
    expect(JSON.parse(entries[0]!.entry)).toMatchObject({
      reason: `Helps out (approval ${parked.body.pendingApproval!.id})`,
    });
    expect(await change(asks.api, id, { title: 'No gate for that' })).toMatchObject({
      body: { pendingApproval: null },
    });
  });

  it('refuses impossible changes immediately and stale ones later', async () => {
    const tenant = await platform.tenant();
    const owner = await person(platform, tenant, 'owner');
    const admin = await person(platform, tenant, 'admin');
    const { id } = await person(platform, tenant, 'member');
    await tenant.api.patch(SETTINGS, { gates: [{ ...gate, allowSelfApproval: true }] });
    expect(await change(admin.api, id, { roleIds: [OWNER] })).toMatchObject({ status: 403 });
    const parked = await change(owner.api, id, { roleIds: [ADMIN] });
    await change(owner.api, id, { title: 'Changed' });
    expect(await owner.api.post(`${APPROVALS}/${parked.body.pendingApproval!.id}/approve`)).toMatchObject({
      body: { status: 'failed', failure: { code: 'stale_target' } },
    });
    await tenant.api.patch(SETTINGS, { gates: [{ ...gate, effect: 'deny' }] });
    expect(await change(owner.api, id, { roleIds: [ADMIN] })).toMatchObject({ body: { code: 'gate_denied' } });
  });

  it('lets holders of the named roles and the requester’s manager decide', async () => {
    const tenant = await platform.tenant();
    const role = await makeRole(tenant, 'Second pair of eyes', ['approvals:decide']);
    const asks = await person(platform, tenant, 'owner');
    const [named, boss, other] = [
      await person(platform, tenant, role),
      await person(platform, tenant, 'admin'),
      await person(platform, tenant, 'admin'),
    ];
    const employee = async (membershipId: string, more: object = {}) =>
      (await tenant.api.post<{ id: string }>('/api/v1/people/employees', { name: 'Employee', membershipId, ...more }))
        .body.id;
    await employee(asks.id, { managerId: await employee(boss.id) });
    const park = async (approvers: object) => {
      await replaceGates(tenant.api, [{ ...gate, approvers }]);
      const { id } = await person(platform, tenant, 'member');
      return `${APPROVALS}/${(await change(asks.api, id, { roleIds: [ADMIN] })).body.pendingApproval!.id}/approve`;
    };
    const byRole = await park({ roleIds: [role] });
    expect(await other.api.post(byRole)).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
    expect(await named.api.post(byRole)).toMatchObject({ status: 200, body: { status: 'executed' } });
    const byManager = await park({ managerOfRequester: true });
    expect(await named.api.post(byManager)).toMatchObject({ status: 404 });
    const { body } = await boss.api.get<{ data: unknown[] }>(`${APPROVALS}?mine=to_decide`);
    expect(body.data).toHaveLength(1);
    expect(await boss.api.post(byManager)).toMatchObject({ status: 200, body: { status: 'executed' } });
    expect(await tenant.api.patch(SETTINGS, { gates: [{ ...gate, approvers: { roleIds: [asks.id] } }] })).toMatchObject(
      { status: 400, body: { errors: [{ code: 'unknown_reference' }] } },
    );
  });
});
