import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { ADMIN, change, keyWorks, makeRole, MEMBERSHIPS, person, WORKSPACES } from './people-calls.js';

/**
 * Nobody may act against members above them: only owners against owners, and only holders of the same privileged
 * permissions against others.
 */
const EMPLOYEES = '/api/v1/people/employees';
const DENIED = { status: 403, body: { code: 'permission_denied' } };

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
});
afterAll(() => platform.close());

/** A member with a role, in the default workspace like everybody else. */
async function neighbour(role: string): Promise<{ id: string; api: Client }> {
  const made = await person(platform, tenant, role);
  const { data } = (await tenant.api.get<{ data: { id: string }[] }>(WORKSPACES)).body;
  await tenant.api.post(`${WORKSPACES}/${data[0]!.id}/members`, { membershipId: made.id });
  return made;
}

const reset = (api: Client, id: string) =>
  api.post(`${MEMBERSHIPS}/${id}/reset-session`, { includeApiKeys: true, reason: 'Lost laptop' });

it.each([
  ['manager', 'owner', 403],
  ['manager', 'admin', 403],
  ['manager', 'developer', 403],
  ['admin', 'owner', 403],
  ['manager', 'manager', 200],
  ['manager', 'member', 200],
  ['admin', 'admin', 200],
  ['admin', 'developer', 200],
  ['owner', 'owner', 200],
  ['owner', 'admin', 200],
])('%s ends the sessions and keys of %s: %i', async (role, target, status) => {
  const [by, of] = [await neighbour(role), await neighbour(target)];
  expect(await reset(by.api, of.id)).toMatchObject(status === 403 ? DENIED : { status, body: { revokedKeys: 1 } });
  expect(await keyWorks(of.api)).toBe(status === 403 ? 200 : 401);
});

it.each(['owner', 'admin', 'manager', 'member'])('%s ends their own', async (role) => {
  const { id, api } = await neighbour(role);
  expect(await reset(api, id)).toMatchObject({ status: 200, body: { revokedKeys: 1 } });
});

it('refuses changes of members with more rights than the caller', async () => {
  const clerk = await makeRole(tenant, 'Clerk', ['members:manage', 'members:read']);
  const peer = await person(platform, tenant, clerk);
  const { id: clerkId, api } = await person(platform, tenant, clerk);
  const admin = await person(platform, tenant, 'admin');
  for (const body of [{ status: 'suspended' }, { status: 'deactivated' }, { roleIds: [clerk] }, { title: 'Clown' }])
    expect(await change(api, admin.id, body)).toMatchObject(DENIED);
  expect(await tenant.api.get(`${MEMBERSHIPS}/${admin.id}`)).toMatchObject({ body: { version: 1, roleIds: [ADMIN] } });
  expect(await change(api, peer.id, { status: 'suspended' })).toMatchObject({ status: 200 });
  expect(await change(api, clerkId, { title: 'Clerk' })).toMatchObject({ status: 200 });
  expect(await change(admin.api, clerkId, { status: 'suspended' })).toMatchObject({ status: 200 });
});

it.each(['suspended', 'deactivated'])(
  'requires a second factor, or a key for protected operations, to have an administrator %s',
  async (status) => {
    const weak = await platform.member(tenant, 'Weak', ['*'], { roles: ['admin'] });
    const strong = await person(platform, tenant, 'admin');
    const [admin, member] = [await person(platform, tenant, 'admin'), await person(platform, tenant, 'member')];
    const stepUp = { status: 403, body: { code: 'step_up_required' } };
    expect(await change(weak.api, admin.id, { status })).toMatchObject(stepUp);
    expect(await keyWorks(admin.api)).toBe(200);
    expect(await change(weak.api, member.id, { status })).toMatchObject({ status: 200 });
    expect(await change(weak.api, admin.id, { status: 'active', title: 'Admin' })).toMatchObject({ status: 200 });
    expect(await change(strong.api, admin.id, { status })).toMatchObject({ status: 200, body: { status } });
    if (status === 'suspended') expect(await change(weak.api, admin.id, { status: 'active' })).toMatchObject(stepUp);
  },
);

it('also applies when access is ended or restored through employment', async () => {
  const [manager, admin] = [await person(platform, tenant, 'manager'), await person(platform, tenant, 'admin')];
  const { body } = await tenant.api.post<{ id: string }>(EMPLOYEES, { name: 'Ada', membershipId: admin.id });
  const path = `${EMPLOYEES}/${body.id}`;
  expect(await manager.api.post(`${path}/suspend`, { reason: 'x' })).toMatchObject(DENIED);
  expect(await manager.api.post(`${path}/terminate`, { type: 'voluntary' })).toMatchObject(DENIED);
  expect(await keyWorks(admin.api)).toBe(200);
  expect(await tenant.api.post(`${path}/suspend`, { reason: 'x' })).toMatchObject({ status: 200 });
  expect(await keyWorks(admin.api)).toBe(401);
  expect(await manager.api.post(`${path}/reinstate`)).toMatchObject(DENIED);
  expect(await keyWorks(admin.api)).toBe(401);
});

it('refuses denials against members above, directly or by role', async () => {
  const [manager, admin] = [await neighbour('manager'), await neighbour('admin')];
  const [owner, member] = [await neighbour('owner'), await neighbour('member')];
  const { id } = (await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name: 'Secret' })).body;
  const deny = (api: Client, type: string, principalId: string) =>
    api.post('/api/admin/resource-permissions', {
      object: 'sales.deal',
      objectId: id,
      principal: { type, id: principalId },
      effect: 'deny',
      level: 'view',
    });
  for (const target of [owner.id, admin.id])
    expect(await deny(manager.api, 'membership', target)).toMatchObject(DENIED);
  for (const role of ['owner', 'admin'] as const)
    expect(await deny(manager.api, 'role', SYSTEM_ROLE_IDS[role])).toMatchObject(DENIED);
  expect(await deny(admin.api, 'membership', owner.id)).toMatchObject(DENIED);
  const [{ count }] = (await asAdmin<{ count: number }>(
    platform.database,
    'select count(*)::integer as count from data.resource_grants where tenant_id = $1',
    [tenant.id],
  )) as [{ count: number }];
  expect(count).toBe(0);
  expect(await deny(manager.api, 'membership', member.id)).toMatchObject({ status: 200 });
  expect(await deny(manager.api, 'role', SYSTEM_ROLE_IDS.viewer)).toMatchObject({ status: 200 });
  expect(await deny(admin.api, 'membership', manager.id)).toMatchObject({ status: 200 });
  expect(await deny(owner.api, 'membership', admin.id)).toMatchObject({ status: 200 });
});
