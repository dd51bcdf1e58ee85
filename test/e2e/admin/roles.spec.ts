import { uuidv7 } from '#libs/kernel/id.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { PRESET_NAMES } from '#src/areas/access/roles/role-presets.js';
import type { Answer } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import {
  ADMIN,
  change,
  makeRole,
  makeWorkspace,
  MEMBER,
  type Membership,
  MEMBERSHIPS,
  OWNER,
  type Page,
  person,
  ROLES,
  tally,
  VIEWER,
  WORKSPACES,
} from './people-calls.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);
const memberOf = async ({ api }: Pick<TestTenant, 'api'>, id: string) =>
  (await api.get<Membership>(`${MEMBERSHIPS}/${id}`)).body;

interface Role {
  id: string;
  key: string;
  permissions: string[] | null;
  isSystem: boolean;
  memberCount: number;
  version: number;
  code: string;
}

describe('the list of roles', () => {
  it('is paged correctly despite deletions in between', async () => {
    const tenant = await platform.tenant();
    const own = [];
    for (const name of ['A', 'B', 'C', 'D']) own.push(await makeRole(tenant, name, ['deals:read']));
    const keys: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body }: Answer<Page<Role>> = await tenant.api.get(`${ROLES}?limit=5${after}`);
      keys.push(...body.data.map(({ key }) => key));
      cursor = body.page.nextCursor;
      // The second page ends with "b", which is deleted before the third is requested.
      if (keys.length === 10) await tenant.api.delete(`${ROLES}/${own[1]!}`);
    } while (cursor !== null);
    expect(keys.slice(8)).toEqual(['a', 'b', 'c', 'd']);
    const { page } = (await tenant.api.get<Page<Role>>(`${ROLES}?limit=1`)).body;
    expect(await tenant.api.get(`${ROLES}?limit=1&q=a&cursor=${page.nextCursor!}`)).toMatchObject({
      status: 400,
      body: { code: 'cursor_invalid' },
    });
    for (const limit of ['0', '201', 'x']) expect((await tenant.api.get(`${ROLES}?limit=${limit}`)).status).toBe(400);
  });

  it('lists system roles first, and includes permissions and the catalogue on request', async () => {
    const tenant = await platform.tenant();
    await person(platform, tenant, 'owner');
    await makeRole(tenant, 'Sales', ['deals:read']);
    const { body } = await tenant.api.get<Page<Role>>(ROLES);
    expect(body.data.map(({ key }) => key)).toEqual([
      'owner',
      'admin',
      'manager',
      'member',
      'viewer',
      'auditor',
      'billing',
      'developer',
      'sales',
    ]);
    expect(body.data[0]).toMatchObject({
      id: OWNER,
      isSystem: true,
      isPrivileged: true,
      memberCount: 1,
      permissions: null,
    });
    expect(body['catalogue']).toBeNull();
    const full = (await tenant.api.get<Page<Role>>(`${ROLES}?include=permissions,catalogue&q=view`)).body;
    expect(full.data).toMatchObject([{ id: VIEWER, permissions: expect.arrayContaining(['deals:read@workspace']) }]);
    const catalogue = full['catalogue'] as { permission: string; area: string; risk: string }[];
    expect(catalogue.map(({ permission }) => permission)).toEqual([...permissionNames()].sort());
    const entry = (permission: string) => catalogue.find((each) => each.permission === permission);
    expect(entry('deals:write')).toMatchObject({ area: 'sales', risk: 'low', text: 'Create and edit deals' });
    expect(entry('roles:manage')).toMatchObject({ area: 'admin', risk: 'high' });
    expect(entry('employees.sensitive:read')).toMatchObject({ area: 'people', risk: 'high' });
  });
});

describe('a custom role', () => {
  it.each(PRESET_NAMES)('can be based on the preset %s, which only names existing permissions', async (preset) => {
    const tenant = await platform.tenant();
    const { body } = await tenant.api.post<Role>(ROLES, { name: preset, preset });
    expect(body.permissions!.length).toBeGreaterThan(5);
    const again = await tenant.api.post(ROLES, { name: 'Again', permissions: body.permissions });
    expect(again).toMatchObject({ status: 200 });
  });

  it('takes effect with the next request of its members', async () => {
    const tenant = await platform.tenant();
    const id = await makeRole(tenant, 'Reads deals', ['deals:read', 'accounts:read']);
    const { api } = await person(platform, tenant, id);
    const status = async (path: string) => (await api.get(path)).status;
    expect(await status('/api/v1/sales/deals')).toBe(200);
    expect(await tenant.api.patch(`${ROLES}/${id}`, { remove: ['deals:read'] })).toMatchObject({
      status: 200,
      body: { permissions: ['accounts:read'], affectedMembers: 1, version: 2 },
    });
    expect(await status('/api/v1/sales/deals')).toBe(403);
    expect(await status('/api/v1/sales/accounts')).toBe(200);
    expect(await tenant.api.patch(`${ROLES}/${id}`, { add: ['deals:*@own'], name: 'Own deals' })).toMatchObject({
      body: { permissions: ['accounts:read', 'deals:*@own'], name: 'Own deals' },
    });
    expect(await status('/api/v1/sales/deals')).toBe(200);
    expect(await tenant.api.patch(`${ROLES}/${id}`, { name: 'Own deals' })).toMatchObject({ body: { version: 3 } });
    const events = await rows<{ type: string }>('select type from data.events where subject_id = $1 order by id', [id]);
    expect(events.map(({ type }) => type)).toEqual(['core.role.created', 'core.role.updated', 'core.role.updated']);
  });

  it('is refused with a specific code for each fault', async () => {
    const tenant = await platform.tenant();
    const id = await makeRole(tenant, 'Sales', ['deals:read']);
    for (const [body, pointer, code] of [
      [{ name: 'x', permissions: ['deals:burn'] }, '/permissions/0', 'unknown_permission'],
      [{ name: 'x', permissions: ['deals:read@galaxy'] }, '/permissions/0', 'unknown_permission'],
      [{ name: 'x' }, '/permissions', 'required'],
      [{ name: 'x', permissions: ['deals:read'], preset: 'sales' }, '/permissions', 'ambiguous'],
    ] as const)
      expect(await tenant.api.post(ROLES, body)).toMatchObject({ status: 400, body: { errors: [{ pointer, code }] } });
    for (const name of ['sales', 'Owner'])
      expect(await tenant.api.post(ROLES, { name, permissions: ['deals:read'] })).toMatchObject({
        body: { code: 'duplicate', field: 'name' },
      });
    expect(
      await tenant.api.patch(`${ROLES}/${id}`, { permissions: ['deals:read'], add: ['leads:read'] }),
    ).toMatchObject({ status: 400 });
    for (const path of [`${ROLES}/${ADMIN}`])
      for (const answer of [await tenant.api.patch(path, { name: 'x' }), await tenant.api.delete(path)])
        expect(answer).toMatchObject({ status: 409, body: { code: 'system_role' } });
    const other = await platform.tenant();
    for (const answer of [
      await other.api.get(`${ROLES}/${id}`),
      await other.api.patch(`${ROLES}/${id}`, { name: 'x' }),
      await other.api.delete(`${ROLES}/${id}`),
    ])
      expect(answer).toMatchObject({ status: 404 });
  });

  it('has a unique name, even with concurrent creations', async () => {
    const tenant = await platform.tenant();
    const make = () => tenant.api.post(ROLES, { name: 'Sales', permissions: ['deals:read'] });
    expect(tally(await Promise.all(Array.from({ length: 10 }, make)))).toEqual({ 200: 1, 409: 9 });
  });
});

describe('invariants of roles', () => {
  it('nobody can include permissions that they do not hold', async () => {
    const tenant = await platform.tenant();
    const maker = await makeRole(tenant, 'Role maker', ['roles:manage', 'roles:read', 'deals:read@workspace']);
    const sales = await makeRole(tenant, 'Sales', ['deals:write']);
    const { api } = await person(platform, tenant, maker);
    const beyond = { status: 403, body: { code: 'grant_exceeds_rights' } };
    for (const permissions of [['*'], ['deals:read'], ['deals:write@own'], ['roles:*', 'members:manage']])
      expect(await api.post(ROLES, { name: 'More', permissions })).toMatchObject(beyond);
    expect(await api.patch(`${ROLES}/${maker}`, { add: ['deals:read'] })).toMatchObject(beyond);
    expect(await api.post(ROLES, { name: 'Less', permissions: ['deals:read@own'] })).toMatchObject({ status: 200 });
    // Existing permissions may stay or be removed.
    expect(await api.patch(`${ROLES}/${sales}`, { name: 'Sellers' })).toMatchObject({ status: 200 });
    expect(await api.delete(`${ROLES}/${sales}`)).toMatchObject({ status: 200 });
  });

  it('changing a role requires a second factor or a key for protected operations', async () => {
    const tenant = await platform.tenant();
    const id = await makeRole(tenant, 'Sales', ['deals:read']);
    const { api } = await platform.member(tenant, 'Weak', ['*'], { roles: ['admin'] });
    const refused = { status: 403, body: { code: 'step_up_required' } };
    expect(await api.post(ROLES, { name: 'x', permissions: ['deals:read'] })).toMatchObject(refused);
    expect(await api.patch(`${ROLES}/${id}`, { name: 'x' })).toMatchObject(refused);
    expect(await api.delete(`${ROLES}/${id}`)).toMatchObject(refused);
  });

  it('a role in use can only be deleted with a replacement, which replaces it everywhere', async () => {
    const tenant = await platform.tenant();
    const [old, fresh] = [await makeRole(tenant, 'Old', ['deals:read']), await makeRole(tenant, 'New', ['leads:read'])];
    const { id, api } = await person(platform, tenant, old);
    const workspace = await makeWorkspace(tenant.api, 'EMEA', { defaultRoleIds: [old] });
    const remove = (query = '') => tenant.api.delete<Role>(`${ROLES}/${old}${query}`);
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'in_use' } });
    for (const replacement of [old, uuidv7()])
      expect(await remove(`?replacementRoleId=${replacement}`)).toMatchObject({ status: 400 });
    // Otherwise the lead could make new workspace members owners.
    expect(await remove(`?replacementRoleId=${OWNER}`)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    const weaker = await person(platform, tenant, await makeRole(tenant, 'Maker', ['roles:manage']));
    expect(await weaker.api.delete(`${ROLES}/${old}?replacementRoleId=${fresh}`)).toMatchObject({ status: 403 });
    expect(await remove(`?replacementRoleId=${fresh}`)).toMatchObject({
      status: 200,
      body: { id: old, deleted: true, reassigned: 1 },
    });
    expect(await memberOf(tenant, id)).toMatchObject({ roleIds: [fresh], version: 2 });
    expect((await api.get('/api/v1/sales/leads')).status).toBe(200);
    expect((await api.get('/api/v1/sales/deals')).status).toBe(403);
    const { body } = await tenant.api.get<{ defaultRoleIds: string[] }>(`${WORKSPACES}/${workspace}`);
    expect(body.defaultRoleIds).toEqual([fresh]);
    expect(await remove()).toMatchObject({ status: 404 });
    expect(await change(tenant.api, id, { roleIds: [old, MEMBER] })).toMatchObject({ status: 400 });
  });

  it('a role that is deleted concurrently cannot be granted', async () => {
    const tenant = await platform.tenant();
    const people = await Promise.all(Array.from({ length: 8 }, () => person(platform, tenant, 'member')));
    for (const { id } of people) {
      const role = await makeRole(tenant, `Role ${id}`, ['deals:read']);
      const [given, gone] = await Promise.all([
        change(tenant.api, id, { roleIds: [MEMBER, role] }),
        tenant.api.delete(`${ROLES}/${role}`),
      ]);
      expect([given.status, gone.status]).toEqual(given.status === 200 ? [200, 409] : [400, 200]);
    }
  });
});

it('changes of privileged permissions wait for approval if the tenant requires it', async () => {
  const tenant = await platform.tenant();
  const [asks, decides] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'owner')];
  await tenant.api.patch('/api/admin/settings', {
    gates: [{ key: 'role.grant_privileged', effect: 'require_approval' }],
  });
  const approve = async (id: string) =>
    (await decides.api.post<{ status: string; failure: unknown }>(`/api/home/approvals/${id}/approve`)).body;
  interface Waiting {
    id: string;
    pendingApproval: { id: string } | null;
  }
  const harmless = await asks.api.post<Waiting>(ROLES, { name: 'Harmless', permissions: ['deals:read'] });
  expect(harmless).toMatchObject({ status: 200, body: { key: 'harmless' } });
  const made = await asks.api.post<Waiting>(ROLES, { name: 'People', permissions: ['members:manage'] });
  expect(made).toMatchObject({ status: 200, body: { pendingApproval: { status: 'pending' } } });
  expect(await approve(made.body.pendingApproval!.id)).toMatchObject({ status: 'executed', failure: null });
  const { data } = (await tenant.api.get<Page<Role>>(`${ROLES}?q=People&include=permissions`)).body;
  expect(data).toMatchObject([{ key: 'people', permissions: ['members:manage'] }]);
  const more = await asks.api.patch<Waiting>(`${ROLES}/${harmless.body.id}`, { add: ['settings:manage'] });
  expect(more).toMatchObject({ status: 200, body: { version: 1, affectedMembers: 0 } });
  expect(await approve(more.body.pendingApproval!.id)).toMatchObject({ status: 'executed' });
  expect(await asks.api.get(`${ROLES}/${harmless.body.id}`)).toMatchObject({
    body: { version: 2, permissions: ['deals:read', 'settings:manage'] },
  });
});
