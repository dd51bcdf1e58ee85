import { AUDITED } from '../../harness/audit.js';
import type { Answer } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { connect } from '../scim/scene.js';
import type { Page } from './people-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const PATH = '/api/admin/scim';
const OWNER = '00000000-0000-7000-8000-000000000001';
const ADMIN = '00000000-0000-7000-8000-000000000002';
const MANAGER = '00000000-0000-7000-8000-000000000003';
const VIEWER = '00000000-0000-7000-8000-000000000005';

const rolesOf = async (id: string) => {
  const text = `select role_id, source from data.role_assignments where tenant_id = $1 and membership_id = $2 order by 1, 2`;
  const rows = await asAdmin<{ role_id: string; source: string }>(platform.database, text, [tenant.id, id]);
  return rows.map(({ role_id, source }) => `${role_id} ${source}`);
};

it('lists connections in pages', async () => {
  const ids = [];
  for (const name of ['A', 'B', 'C']) ids.push((await connect(platform, { name }, tenant)).id);
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { body }: Answer<Page<{ id: string }>> = await tenant.api.get(`${PATH}?limit=2${after}`);
    seen.push(body.data.map(({ id }) => id));
    cursor = body.page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual([ids.slice(0, 2), ids.slice(2)]);
});

it('connects a provider and shows its token only once', async () => {
  const made = await tenant.api.post(PATH, {
    name: 'Entra ID',
    tokenExpiresInDays: 90,
    allowedDomains: ['acme.example'],
  });
  expect(made).toMatchObject({
    status: 200,
    body: {
      object: 'scim.configuration',
      name: 'Entra ID',
      status: 'active',
      deprovisionAction: 'suspend',
      allowedDomains: ['acme.example'],
      groupRoleMap: [],
      userCount: 0,
      version: 1,
      token: expect.stringMatching(/^scim_/) as string,
      baseUrl: expect.stringMatching(/\/api\/scim\/v2$/) as string,
    },
  });
  const token = made.body['token'] as string;
  const { body, text } = await tenant.api.get<{ data: Record<string, unknown>[] }>(PATH);
  expect(text).not.toContain(token);
  expect(body).toMatchObject({ data: [{ id: made.body['id'] }], page: { hasMore: false }, events: null });
  expect(token.startsWith(`${String(body.data[0]!['tokenPrefix'])}_`)).toBe(true);
  expect(token.endsWith(String(body.data[0]!['tokenLast4']))).toBe(true);
  const expires = Date.parse(String(body.data[0]!['tokenExpiresAt'])) - Date.parse(String(body.data[0]!['createdAt']));
  expect(Math.round(expires / 86_400_000)).toBe(90);
  const stored = await asAdmin(platform.database, 'select 1 from directory.credentials c where c::text like $1', [
    `%${token.slice(-40)}%`,
  ]);
  expect(stored).toEqual([]);
  const { api } = await platform.tenant();
  expect((await api.get<{ data: unknown[] }>(PATH)).body.data).toEqual([]);
});

it('reports missing and unexpected fields of each action', async () => {
  const refused = async (body: object) => {
    const answer = await tenant.api.post<{ errors: { pointer: string; code: string }[] }>(PATH, body);
    expect(answer.status).toBe(400);
    return answer.body.errors.map(({ pointer, code }) => `${pointer} ${code}`);
  };
  const id = '01890000-0000-7000-8000-000000000000';
  expect(await refused({})).toEqual(['/name required']);
  expect(await refused({ name: 'A', id })).toEqual(['/id not_with_action']);
  expect(await refused({ action: 'enable' })).toEqual(['/id required']);
  expect(await refused({ action: 'rotate_token', id, name: 'A' })).toEqual(['/name not_with_action']);
  expect(await refused({ name: 'A', tokenExpiresInDays: 366 })).toEqual(['/tokenExpiresInDays out_of_range']);
  expect(await refused({ action: 'rotate_token', id, overlapHours: 73 })).toEqual(['/overlapHours out_of_range']);
  const twice = [
    { group: 'Sales', roleIds: [] },
    { group: 'SALES', roleIds: [] },
  ];
  expect(await refused({ name: 'A', groupRoleMap: twice })).toEqual(['/groupRoleMap/1/group not_unique']);
  expect(await refused({ name: 'A', defaultRoleIds: [id] })).toEqual(['/defaultRoleIds/0 unknown_reference']);
  const places = [{ group: 'Sales', roleIds: [], workspaceIds: [id] }];
  expect(await refused({ name: 'A', groupRoleMap: places })).toEqual([
    '/groupRoleMap/0/workspaceIds/0 unknown_reference',
  ]);
  expect(await tenant.api.post(PATH, { action: 'enable', id })).toMatchObject({ status: 404 });
});

it('cannot grant more than its creator may grant, and never the owner role', async () => {
  const owners = await tenant.api.post(PATH, { name: 'A', defaultRoleIds: [OWNER] });
  expect(owners).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  const { id, api } = await platform.member(tenant, 'Scim admin', ['*'], { roles: ['developer'] });
  const scopes = ['scim:manage', 'scim:read', 'deals:read'];
  const role = await tenant.api.post('/api/admin/roles', { name: 'Connector', permissions: scopes });
  expect(role.status).toBe(200);
  await tenant.api.patch(`/api/admin/memberships/${id}`, { roleIds: [role.body['id']], reason: 'Test' });
  await asAdmin(platform.database, 'update directory.credentials set allow_protected = true where member_id = $1', [
    id,
  ]);
  for (const roleId of [ADMIN, MANAGER])
    for (const body of [
      { name: 'A', defaultRoleIds: [roleId] },
      { name: 'A', defaultRoleIds: [], groupRoleMap: [{ group: 'Sales', roleIds: [roleId] }] },
    ])
      expect(await api.post(PATH, body)).toMatchObject({ status: 403, body: { code: 'grant_exceeds_rights' } });
  const own = await api.post(PATH, { name: 'A', defaultRoleIds: [role.body['id']] });
  expect(own.status).toBe(200);
  // The holder of a token can grant what its configuration grants.
  const [everybody, some] = [
    await tenant.api.post(PATH, { name: 'B', defaultRoleIds: [ADMIN] }),
    await tenant.api.post(PATH, { name: 'C', defaultRoleIds: [], groupRoleMap: [{ group: 'A', roleIds: [ADMIN] }] }),
  ];
  for (const { body } of [everybody, some])
    expect(await api.post(PATH, { action: 'rotate_token', id: body['id'] })).toMatchObject({
      status: 403,
      body: { code: 'grant_exceeds_rights' },
    });
  expect((await api.post(PATH, { action: 'rotate_token', id: own.body['id'] })).status).toBe(200);
});

it('is a protected operation', async () => {
  const api = await platform.key(tenant, ['*']);
  const refusal = { status: 403, body: { code: 'step_up_required' } };
  expect(await api.post(PATH, { name: 'A' })).toMatchObject(refusal);
  expect(await api.delete(`${PATH}/01890000-0000-7000-8000-000000000000`)).toMatchObject(refusal);
  expect((await api.get(PATH)).status).toBe(200);
});

it('disables and enables, once each', async () => {
  const { id } = await connect(platform, {}, tenant);
  expect(await tenant.api.post(PATH, { action: 'disable', id })).toMatchObject({
    body: { status: 'disabled', token: null },
  });
  expect(await tenant.api.post(PATH, { action: 'disable', id })).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', state: 'disabled', allowedActions: ['enable'] },
  });
  expect(await tenant.api.post(PATH, { action: 'enable', id })).toMatchObject({
    body: { status: 'active', version: 3 },
  });
});

it('grants and revokes by groups, limited to the grants of each group', async () => {
  const workspace = await tenant.api.post('/api/admin/workspaces', { name: 'Field' });
  const workspaceId = workspace.body['id'] as string;
  const groupRoleMap = [{ group: 'sales', roleIds: [MANAGER], workspaceIds: [workspaceId] }];
  const { id: configId, scim } = await connect(platform, { groupRoleMap, defaultRoleIds: [VIEWER] }, tenant);
  const user = async (userName: string) => (await scim.post('/Users', { userName })).body['id'] as string;
  const [ana, ben] = [await user('ana@acme.example'), await user('ben@acme.example')];
  const base = `${VIEWER} scim:${configId}`;
  const group = await scim.post('/Groups', { displayName: 'Sales', members: [{ value: ana }] });
  const groupId = group.body['id'] as string;
  const bySales = `${MANAGER} scim:${configId}:${groupId}`;
  expect(await rolesOf(ana)).toEqual([bySales, base]);
  expect(await rolesOf(ben)).toEqual([base]);
  const { body } = await tenant.api.get(`/api/admin/memberships?workspaceId=${workspaceId}`);
  expect(JSON.stringify(body)).toContain(ana);
  const patch = (...Operations: object[]) => scim.patch(`/Groups/${groupId}`, { Operations });
  await patch({ op: 'Add', path: 'members', value: [{ value: ben }] });
  await patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ana }] });
  expect([await rolesOf(ana), await rolesOf(ben)]).toEqual([[base], [bySales, base]]);
  await patch({ op: 'replace', path: 'displayName', value: 'Marketing' });
  expect(await rolesOf(ben)).toEqual([base]);
  const map = [{ group: 'Marketing', roleIds: [VIEWER] }];
  await tenant.api.post(PATH, { action: 'update', id: configId, groupRoleMap: map });
  const byMarketing = `${VIEWER} scim:${configId}:${groupId}`;
  expect(await rolesOf(ben)).toEqual([base, byMarketing]);
  await scim.delete(`/Groups/${groupId}`);
  expect(await rolesOf(ben)).toEqual([base]);
});

it('is removed: its users stay, become manually managed and keep default grants', async () => {
  const groupRoleMap = [{ group: 'Sales', roleIds: [MANAGER] }];
  const { id: configId, scim } = await connect(platform, { groupRoleMap, defaultRoleIds: [VIEWER] }, tenant);
  const { body } = await scim.post('/Users', { userName: 'ana@acme.example' });
  const ana = body['id'] as string;
  await scim.post('/Groups', { displayName: 'Sales', members: [{ value: ana }] });
  expect(await tenant.api.delete(`${PATH}/${configId}`)).toMatchObject({
    status: 200,
    body: { id: configId, deleted: true, tokenRevoked: true, usersAffected: 0 },
  });
  expect(await rolesOf(ana)).toEqual([`${VIEWER} manual`]);
  expect((await tenant.api.get<{ data: unknown[] }>(PATH)).body.data).toEqual([]);
  expect((await tenant.api.delete(`${PATH}/${configId}`)).status).toBe(404);
  const renamed = await tenant.api.patch(`/api/admin/memberships/${ana}`, { title: 'Lead' });
  expect(renamed).toMatchObject({ status: 200, body: { title: 'Lead', managedByScim: false } });
  const next = await connect(platform, {}, tenant);
  expect((await next.scim.get('/Groups')).body['totalResults']).toBe(0);
  expect((await next.scim.get(`/Users/${ana}`)).body).toMatchObject({ userName: 'ana@acme.example', active: true });
});

it('is removed with its users, who are suspended except for owners', async () => {
  const { id: configId, scim } = await connect(platform, {}, tenant);
  const { body } = await scim.post('/Users', { userName: 'ana@acme.example' });
  const owner = await platform.member(tenant, 'Owner');
  await scim.patch(`/Users/${owner.id}`, { Operations: [{ op: 'replace', path: 'nickName', value: 'Boss' }] });
  expect(await tenant.api.delete(`${PATH}/${configId}?deprovision=suspend_users`)).toMatchObject({
    status: 200,
    body: { usersAffected: 1 },
  });
  const text = `select status from data.memberships where tenant_id = $1 and id = any($2) order by status`;
  const ids = [owner.id, body['id']];
  expect(await asAdmin(platform.database, text, [tenant.id, ids])).toEqual([
    { status: 'active' },
    { status: 'suspended' },
  ]);
});

it('writes audit entries and events', async () => {
  const { id } = await connect(platform, {}, tenant);
  await tenant.api.post(PATH, { action: 'rotate_token', id });
  await tenant.api.post(PATH, { action: 'update', id, name: 'Okta' });
  await tenant.api.delete(`${PATH}/${id}`);
  const rows = await asAdmin<{ action: string; entry: string }>(
    platform.database,
    `select action, ${AUDITED} as entry from data.audit_log where tenant_id = $1 and target_id = $2 order by id`,
    [tenant.id, id],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'scim.configuration.created',
    'scim.configuration.token_rotated',
    'scim.configuration.updated',
    'scim.configuration.deleted',
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/scim_\w{12}_/);
});
