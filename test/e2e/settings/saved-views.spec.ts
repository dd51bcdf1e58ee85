import { pathOf } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { Client } from '../../harness/client.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const VIEWS = '/api/settings/saved-views';
const DEALS = '/api/v1/sales/deals';

interface View {
  id: string;
  name: string;
  path: string;
  status: string;
  version: number;
}
type Person = { id: string; api: Client };

let platform: TestPlatform;
let tenant: TestTenant;
let ada: Person;
let bob: Person;
let boss: Person;
beforeAll(async () => {
  platform = await startPlatform();
});
beforeEach(async () => {
  tenant = await platform.tenant();
  const people = [
    ['Ada', 'member'],
    ['Bob', 'member'],
    ['Mia', 'manager'],
  ] as const;
  [ada, bob, boss] = (await Promise.all(
    people.map(([name, role]) => platform.member(tenant, name, ['*'], { roles: [role] })),
  )) as [Person, Person, Person];
});
afterAll(() => platform.close());

const faults = ({ status, body }: { status: number; body: object }) => ({
  status,
  faults: ((body as { errors?: { pointer: string; code: string }[] }).errors ?? []).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  ),
});

async function save(api: Client, more: object = {}): Promise<View> {
  const answer = await api.post<View>(VIEWS, { name: 'Mine', recordType: 'sales.deal', ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

const names = async (api: Client, query = '') =>
  (await api.get<{ data: View[] }>(`${VIEWS}${query}`)).body.data.map(({ name }) => name);

describe('a saved view', () => {
  it('contains the path of its list', async () => {
    for (const [name, value] of [
      ['Small', 10],
      ['Large', 5_000],
      ['Larger', 9_000],
    ] as const)
      await tenant.api.post(DEALS, { name, value, currency: 'USD', tags: ['q&a'] });
    const { path, ...view } = await save(tenant.api, {
      filter: { 'valueMinor[gte]': '100000', tag: 'q&a' },
      sort: ['-name', 'createdAt'],
      columns: ['name', 'valueMinor', 'customFields.region'],
    });
    expect(view).toMatchObject({ object: 'core.saved_view', status: 'active', shared: 'private', version: 1 });
    const listed = await tenant.api.get<{ data: { name: string }[] }>(path);
    expect(listed.status).toBe(200);
    expect(listed.body.data.map(({ name }) => name)).toEqual(['Larger', 'Large']);
    expect((await tenant.api.get<View>(`${VIEWS}/${view.id}`)).body.path).toBe(path);
    const changed = await tenant.api.patch<View>(`${VIEWS}/${view.id}`, { filter: {}, sort: [] });
    expect(changed.body).toMatchObject({
      path: DEALS,
      version: 2,
      columns: ['name', 'valueMinor', 'customFields.region'],
    });
  });

  it('can be of every type', async () => {
    for (const definition of platform.app.get(ResourceRegistry).all()) {
      const { path } = await save(tenant.api, { recordType: definition.type, sort: ['-createdAt'] });
      expect(path).toBe(`${pathOf(definition)}?sort=-createdAt`);
      expect({ path, status: (await tenant.api.get(path)).status }).toEqual({ path, status: 200 });
    }
  });

  it('is rejected with all parameters that the list does not accept', async () => {
    const post = async (more: object) =>
      faults(await tenant.api.post(VIEWS, { name: 'Bad', recordType: 'sales.deal', ...more }));
    const bad = (...found: string[]) => ({ status: 400, faults: found });
    expect(
      await post({
        filter: { colour: 'red', 'valueMinor[gte]': 'much', 'name[like]': 'x', cursor: 'abc', limit: '5' },
      }),
    ).toEqual(
      bad(
        '/filter/colour unknown_parameter',
        '/filter/valueMinor[gte] invalid_type',
        '/filter/name[like] unknown_parameter',
        '/filter/cursor unknown_parameter',
        '/filter/limit unknown_parameter',
      ),
    );
    expect(await post({ filter: { 'customFields.nothing': 'x' } })).toEqual(
      bad('/filter/customFields.nothing unknown_parameter'),
    );
    expect(await post({ sort: ['colour'], columns: ['name', 'colour'] })).toEqual(
      bad('/sort/0 invalid_value', '/columns/1 unknown_field'),
    );
    expect(await post({ recordType: 'sales.colour' })).toEqual(bad('/recordType unknown_record_type'));
    expect(await post({ filter: { name: 5 } })).toEqual(bad('/filter invalid_type'));
    expect(await post({ filter: [] })).toEqual(bad('/filter invalid_type'));
    expect(await post({ shared: 'workspace' })).toEqual(bad('/workspaceId required'));
    expect(await post({ workspaceId: tenant.id })).toEqual(bad('/workspaceId not_applicable'));
    expect(await post({ shared: 'workspace', workspaceId: tenant.id })).toEqual(bad('/workspaceId unknown_reference'));
    const { id } = await save(tenant.api);
    expect(faults(await tenant.api.patch(`${VIEWS}/${id}`, { sort: ['colour'] }))).toEqual(
      bad('/sort/0 invalid_value'),
    );
    expect((await tenant.api.patch(`${VIEWS}/${id}`, { recordType: 'sales.lead' })).status).toBe(400);
  });

  it('requires read access to the type and its fields', async () => {
    const { api } = await platform.member(tenant, 'Eve', ['employees:read']);
    expect(await api.post(VIEWS, { name: 'Deals', recordType: 'sales.deal' })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', requiredPermission: 'deals:read' },
    });
    const columns = ['name', 'nationalId'];
    expect(faults(await api.post(VIEWS, { name: 'All', recordType: 'people.employee', columns }))).toEqual({
      status: 400,
      faults: ['/columns/1 field_forbidden'],
    });
    const trash = { name: 'Trash', recordType: 'people.employee', filter: { includeDeleted: 'true' } };
    expect(faults(await api.post(VIEWS, trash))).toEqual({
      status: 400,
      faults: ['/filter/includeDeleted field_forbidden'],
    });
    const shared = await save(boss.api, { shared: 'tenant' });
    expect((await api.get(`${VIEWS}/${shared.id}`)).status).toBe(404);
  });

  it('is archived and unarchived', async () => {
    const { id } = await save(ada.api);
    expect(await ada.api.post(`${VIEWS}/${id}/archive`)).toMatchObject({ status: 200, body: { status: 'archived' } });
    expect(await names(ada.api)).toEqual([]);
    expect(await names(ada.api, '?status=archived')).toEqual(['Mine']);
    expect(await ada.api.patch(`${VIEWS}/${id}`, { name: 'X' })).toMatchObject({ body: { code: 'record_locked' } });
    expect(await ada.api.post(`${VIEWS}/${id}/archive`)).toMatchObject({ body: { code: 'invalid_transition' } });
    expect(await ada.api.post(`${VIEWS}/${id}/unarchive`)).toMatchObject({ status: 200, body: { status: 'active' } });
    expect(await ada.api.delete(`${VIEWS}/${id}`)).toMatchObject({ status: 200, body: { deleted: true } });
    expect((await ada.api.get(`${VIEWS}/${id}`)).status).toBe(404);
  });
});

describe('sharing', () => {
  let workspaceId: string;
  beforeEach(async () => {
    const made = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'EMEA', key: 'EMEA' });
    workspaceId = made.body.id;
  });

  it('shows a view only to those with whom it is shared', async () => {
    const cara = await platform.member(tenant, 'Cara', ['*'], {
      roles: ['member'],
      workspaces: { [workspaceId]: 'member' },
    });
    const dan = await platform.member(tenant, 'Dan', ['*'], {
      roles: ['member'],
      workspaces: { [workspaceId]: 'member' },
    });
    const own = await save(cara.api, { name: 'Own' });
    await save(cara.api, { name: 'Team', shared: 'workspace', workspaceId });
    await save(boss.api, { name: 'All', shared: 'tenant' });
    expect(await names(cara.api)).toEqual(['All', 'Own', 'Team']);
    expect(await names(dan.api)).toEqual(['All', 'Team']);
    expect(await names(ada.api)).toEqual(['All']);
    expect(await names(boss.api)).toEqual(['All', 'Team']);
    expect(await names(dan.api, '?shared=workspace&sort=-name')).toEqual(['Team']);
    expect((await dan.api.get(`${VIEWS}/${own.id}`)).status).toBe(404);
    expect((await boss.api.delete(`${VIEWS}/${own.id}`)).status).toBe(404);
  });

  it('requires membership in the workspace, or the permission for the whole tenant', async () => {
    const refused = await ada.api.post(VIEWS, {
      name: 'X',
      recordType: 'sales.deal',
      shared: 'workspace',
      workspaceId,
    });
    expect(refused).toMatchObject({ status: 403, body: { requiredPermission: 'saved-views:manage' } });
    const wide = await ada.api.post(VIEWS, { name: 'X', recordType: 'sales.deal', shared: 'tenant' });
    expect(wide).toMatchObject({ status: 403, body: { requiredPermission: 'saved-views:manage' } });
  });

  it('leaves changes to the owner and to managers', async () => {
    const all = await save(boss.api, { name: 'All', shared: 'tenant' });
    const path = `${VIEWS}/${all.id}`;
    for (const attempt of [
      ada.api.patch(path, { name: 'Mine now' }),
      ada.api.post(`${path}/archive`),
      ada.api.delete(path),
    ])
      expect(await attempt).toMatchObject({ status: 403, body: { requiredPermission: 'saved-views:manage' } });
    const other = await platform.member(tenant, 'Max', ['*'], { roles: ['manager'] });
    expect(await other.api.patch(path, { name: 'Everybody’s' })).toMatchObject({ status: 200 });
    expect(await boss.api.patch(path, { shared: 'private' })).toMatchObject({
      status: 200,
      body: { workspaceId: null },
    });
    expect((await other.api.get(path)).status).toBe(404);
  });

  it('belongs to the lineage of a service key', async () => {
    const { id } = await save(tenant.api, { name: 'Report' });
    expect((await bob.api.get(`${VIEWS}/${id}`)).status).toBe(404);
    expect((await tenant.api.get(`${VIEWS}/${id}`)).status).toBe(200);
    const stranger = await platform.tenant();
    expect((await stranger.api.get(`${VIEWS}/${id}`)).status).toBe(404);
  });
});
