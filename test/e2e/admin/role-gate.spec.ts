import type { ApprovalView } from '#libs/resource/gates/approval.js';
import type { Client } from '../../harness/client.js';
import { replaceGates } from '../../harness/gates.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ADMIN, makeRole, MEMBER, MEMBERSHIPS, OWNER, person, ROLES } from './people-calls.js';

/** The gate for everything that grants, promises or extends a privileged role. */
let platform: TestPlatform;
let tenant: TestTenant;
let owner: { id: string; api: Client };
let other: { id: string; api: Client };
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  [owner, other] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
});
afterAll(() => platform.close());

const INVITATIONS = '/api/admin/invitations';
const SCIM = '/api/admin/scim';
const denied = { status: 403, body: { code: 'gate_denied', gate: 'role.grant_privileged' } };
const pending = { status: 200, body: { pendingApproval: { status: 'pending' } } };
type Pending = { pendingApproval: { id: string } };

const setGate = (effect: string) => replaceGates(tenant.api, [{ key: 'role.grant_privileged', effect }]);
const approve = async ({ pendingApproval: { id } }: Pending) => {
  const path = `/api/home/approvals/${id}/approve`;
  expect(await owner.api.post(path)).toMatchObject({ status: 403, body: { code: 'not_an_approver' } });
  return (await other.api.post<ApprovalView>(path)).body;
};
const invite = (body: object) =>
  owner.api.post<Pending & { data: { ok: boolean; invitation: { id: string } }[] }>(INVITATIONS, body);
const connect = (body: object) => owner.api.post<Pending & { id: string }>(SCIM, body);

describe('an invitation', () => {
  it('with the role of an administrator or owner is denied', async () => {
    await setGate('deny');
    for (const role of [ADMIN, OWNER])
      expect(await invite({ emails: ['bo@acme.test'], roleIds: [role] })).toMatchObject(denied);
    const { body } = await invite({ emails: ['bo@acme.test'], roleIds: [MEMBER] });
    const path = `${INVITATIONS}/${body.data[0]!.invitation.id}`;
    expect(await owner.api.patch(path, { roleIds: [MEMBER, ADMIN] })).toMatchObject(denied);
    expect(await owner.api.patch(path, { expiresInDays: 3 })).toMatchObject({
      body: { version: 2, pendingApproval: null },
    });
  });

  it('waits for approval, and is sent when it is approved', async () => {
    await setGate('require_approval');
    const { status, body } = await invite({ emails: ['bo@acme.test', 'ana@acme.test'], roleIds: [ADMIN] });
    expect({ status, body }).toMatchObject({ ...pending, body: { data: [], pendingApproval: { status: 'pending' } } });
    const listed = async () => (await owner.api.get<{ data: object[] }>(INVITATIONS)).body.data;
    expect(await listed()).toEqual([]);
    expect(await approve(body)).toMatchObject({ status: 'executed', gate: 'role.grant_privileged' });
    expect(await listed()).toMatchObject([{ roleIds: [ADMIN] }, { roleIds: [ADMIN] }]);
  });

  it('cannot get further roles before approval', async () => {
    await setGate('require_approval');
    const made = await invite({ emails: ['bo@acme.test'], roleIds: [MEMBER] });
    const path = `${INVITATIONS}/${made.body.data[0]!.invitation.id}`;
    const waits = await owner.api.patch<Pending>(path, { roleIds: [ADMIN] });
    expect(waits).toMatchObject({ ...pending, body: { version: 1, roleIds: [MEMBER] } });
    expect(await approve(waits.body)).toMatchObject({ status: 'executed' });
    expect(await owner.api.get(path)).toMatchObject({ body: { version: 2, roleIds: [ADMIN] } });
  });
});

describe('an identity provider', () => {
  it.each([
    ['everybody', { defaultRoleIds: [ADMIN] }],
    ['a group', { groupRoleMap: [{ group: 'Admins', roleIds: [ADMIN] }] }],
  ])('cannot be configured to grant %s a privileged role', async (_, roles) => {
    await setGate('deny');
    expect(await connect({ name: 'Okta', ...roles })).toMatchObject(denied);
    const { body } = await connect({ name: 'Okta' });
    expect(await connect({ action: 'update', id: body.id, ...roles })).toMatchObject(denied);
    await setGate('require_approval');
    expect(await connect({ name: 'Entra', ...roles })).toMatchObject(denied); // it is created without the role and then changed
    const waits = await connect({ action: 'update', id: body.id, ...roles });
    expect(waits).toMatchObject({ ...pending, body: { defaultRoleIds: [MEMBER], groupRoleMap: [], token: null } });
    expect(await approve(waits.body)).toMatchObject({ status: 'executed' });
    // Roles already promised need no new approval, others do.
    expect(await connect({ action: 'update', id: body.id, ...roles, name: 'Okta 2' })).toMatchObject({
      status: 200,
      body: { ...roles, pendingApproval: null },
    });
    const more = [{ group: 'Everyone', roleIds: [ADMIN] }];
    expect(await connect({ action: 'update', id: body.id, groupRoleMap: more })).toMatchObject(pending);
  });
});

describe('a role', () => {
  it('is not replaced by a privileged one before approval', async () => {
    const id = await makeRole(tenant, 'Clerk', ['deals:read']);
    const clerk = await person(platform, tenant, id);
    await setGate('deny');
    expect(await owner.api.delete(`${ROLES}/${id}?replacementRoleId=${ADMIN}`)).toMatchObject(denied);
    await setGate('require_approval');
    const waits = await owner.api.delete<Pending>(`${ROLES}/${id}?replacementRoleId=${ADMIN}`);
    expect(waits).toMatchObject({ ...pending, body: { deleted: false, reassigned: 0 } });
    expect((await owner.api.get(`${ROLES}/${id}`)).status).toBe(200);
    expect(await approve(waits.body)).toMatchObject({ status: 'executed' });
    expect(await owner.api.get(`${MEMBERSHIPS}/${clerk.id}`)).toMatchObject({ body: { roleIds: [ADMIN] } });
    expect((await owner.api.get(`${ROLES}/${id}`)).status).toBe(404);
  });

  it('with members does not become privileged by an edit', async () => {
    const id = await makeRole(tenant, 'Clerk', ['deals:read']);
    await setGate('deny');
    expect(await owner.api.patch(`${ROLES}/${id}`, { add: ['roles:manage'] })).toMatchObject(denied);
    expect(await owner.api.patch(`${ROLES}/${id}`, { add: ['deals:write'] })).toMatchObject({ status: 200 });
    expect(await owner.api.delete(`${ROLES}/${id}?replacementRoleId=${MEMBER}`)).toMatchObject({
      body: { deleted: true, pendingApproval: null },
    });
  });
});
