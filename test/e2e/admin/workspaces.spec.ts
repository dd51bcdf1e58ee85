import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { together } from '../people/together.js';
import {
  makeRole,
  makeWorkspace,
  MEMBER,
  type Membership,
  MEMBERSHIPS,
  change,
  OWNER,
  type Page,
  person,
  placesOf,
  ROLES,
  tally,
  type Workspace,
  WORKSPACES,
} from './people-calls.js';

const DEALS = '/api/v1/sales/deals';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

describe('a workspace', () => {
  it('is led by its creator, who can change it', async () => {
    const tenant = await platform.tenant();
    const maker = await person(platform, tenant, 'admin');
    const answer = await maker.api.post<Workspace>(WORKSPACES, { name: 'EMEA', key: 'EMEA', visibility: 'closed' });
    expect(answer).toMatchObject({
      status: 200,
      body: { leadId: maker.id, memberCount: 1, status: 'active', isDefault: false, key: 'EMEA' },
    });
    const { id, version } = answer.body;
    expect(await placesOf(tenant, id)).toEqual({ [maker.id]: 'lead' });
    expect(await tenant.api.patch(`${WORKSPACES}/${id}`, { name: 'Europe' })).toMatchObject({
      body: { name: 'Europe', version: version + 1 },
    });
    expect(await tenant.api.post(WORKSPACES, { name: 'x', key: 'EMEA' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'key' },
    });
    const events = await rows<{ type: string }>('select type from data.events where subject_id = $1 order by id', [id]);
    expect(events.map(({ type }) => type)).toEqual(['core.workspace.created', 'core.workspace.updated']);
    expect(await tenant.api.get<Page<Workspace>>(WORKSPACES)).toMatchObject({
      body: { data: [{ name: 'Europe' }, { name: 'General', isDefault: true }] },
    });
  });

  it('that is the default is led by the first owner or administrator, and by nobody before', async () => {
    const tenant = await platform.tenant();
    const { data } = (await tenant.api.get<Page<Workspace>>(WORKSPACES)).body;
    const { id } = data.find(({ isDefault }) => isDefault)!;
    const people = [];
    for (const role of ['member', 'admin', 'owner'])
      people.push((await platform.member(tenant, role, [], { roles: [role], workspaces: {} })).id);
    const [member, admin, owner] = people as [string, string, string];
    const leads = [];
    for (const each of [member, admin, owner]) {
      await tenant.api.patch(`${MEMBERSHIPS}/${each}`, { workspaceIds: [id] });
      leads.push((await tenant.api.get<Workspace>(`${WORKSPACES}/${id}`)).body.leadId);
    }
    expect(leads).toEqual([null, admin, admin]);
    expect(await placesOf(tenant, id)).toEqual({ [member]: 'member', [admin]: 'lead', [owner]: 'member' });
  });

  it('is nested at most three levels deep and never in itself, even with concurrent moves', async () => {
    const tenant = await platform.tenant();
    const make = (name: string, parentId?: string) => makeWorkspace(tenant.api, name, parentId ? { parentId } : {});
    const top = await make('Top');
    const middle = await make('Middle', top);
    const low = await make('Low', middle);
    const move = (id: string, parentId: string | null) => tenant.api.patch(`${WORKSPACES}/${id}`, { parentId });
    expect(await tenant.api.post(WORKSPACES, { name: 'Deepest', parentId: low })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/parentId', code: 'too_deep' }] },
    });
    for (const [id, parent] of [
      [top, low],
      [top, middle],
      [top, top],
    ] as const)
      expect(await move(id, parent)).toMatchObject({ status: 409, body: { code: 'tree_cycle' } });
    expect(await move(top, await make('Above'))).toMatchObject({ status: 400 });
    expect(await move(top, uuidv7())).toMatchObject({ status: 400, body: { errors: [{ code: 'unknown_reference' }] } });
    const [a, b] = [await make('A'), await make('B')];
    expect(tally(await together(platform.database, [() => move(a, b), () => move(b, a)]))).toEqual({ 200: 1, 409: 1 });
  });

  it('accepts no new records once archived and keeps existing ones', async () => {
    const tenant = await platform.tenant();
    const id = await makeWorkspace(tenant.api, 'Old');
    const child = await makeWorkspace(tenant.api, 'Part', { parentId: id });
    const deal = (await tenant.api.post<{ id: string }>(DEALS, { name: 'There', workspaceId: id })).body.id;
    const archive = (which: string, archived = true) =>
      tenant.api.patch<Workspace>(`${WORKSPACES}/${which}`, { archive: archived });
    expect(await archive(id)).toMatchObject({ status: 409, body: { code: 'in_use' } });
    expect(await archive(child)).toMatchObject({ status: 200, body: { status: 'archived' } });
    expect(await archive(id)).toMatchObject({ status: 200 });
    const refused = { status: 400, body: { errors: [{ pointer: '/workspaceId', code: 'unknown_reference' }] } };
    expect(await tenant.api.post(DEALS, { name: 'New', workspaceId: id })).toMatchObject(refused);
    expect(await tenant.api.patch(`${DEALS}/${deal}`, { name: 'Still there' })).toMatchObject({ status: 200 });
    expect(await tenant.api.patch(`${WORKSPACES}/${id}`, { name: 'x' })).toMatchObject({
      body: { code: 'record_locked' },
    });
    const { id: member } = await person(platform, tenant, 'member');
    expect(await change(tenant.api, member, { workspaceIds: [id] })).toMatchObject({ status: 400 });
    const listed = async (query = '') =>
      (await tenant.api.get<Page<Workspace>>(`${WORKSPACES}${query}`)).body.data.map((each) => each.id);
    expect(await listed()).not.toContain(id);
    expect(await listed('?includeArchived=true')).toContain(id);
    expect(await archive(id, false)).toMatchObject({ body: { status: 'active' } });
    expect(await tenant.api.post(DEALS, { name: 'New', workspaceId: id })).toMatchObject({ status: 201 });
    const general = (await tenant.api.get<Page<Workspace>>(`${WORKSPACES}?name=General`)).body.data[0]!;
    expect(await archive(general.id)).toMatchObject({ status: 409, body: { code: 'record_locked' } });
  });

  it('is visible to its members, or to everybody if open, and changed by its lead and managers', async () => {
    const tenant = await platform.tenant();
    const [open, closed] = [
      await makeWorkspace(tenant.api, 'Open'),
      await makeWorkspace(tenant.api, 'Closed', { visibility: 'closed' }),
    ];
    const lead = await platform.member(tenant, 'Lead', ['*'], { roles: ['member'], workspaces: { [closed]: 'lead' } });
    const reader = await platform.member(tenant, 'Reader', ['*'], {
      roles: ['member'],
      workspaces: { [closed]: 'member' },
    });
    const stranger = await platform.member(tenant, 'Stranger', ['*'], { roles: ['member'] });
    const manager = await platform.member(tenant, 'Manager', ['*'], {
      roles: ['manager'],
      workspaces: { [open]: 'member' },
    });
    const names = async ({ api }: typeof lead) =>
      (await api.get<Page<Workspace>>(WORKSPACES)).body.data.map(({ name }) => name);
    expect(await names(lead)).toEqual(['Closed', 'General', 'Open']);
    expect(await names(stranger)).toEqual(['General', 'Open']);
    const rename = async ({ api }: typeof lead, id: string) =>
      (await api.patch(`${WORKSPACES}/${id}`, { name: 'Renamed' })).status;
    expect(await rename(stranger, closed)).toBe(404);
    expect(await rename(stranger, open)).toBe(403);
    expect(await rename(reader, closed)).toBe(403);
    expect(await rename(manager, closed)).toBe(404);
    expect(await rename(manager, open)).toBe(200);
    expect(await rename(lead, closed)).toBe(200);
    const scoped = await platform.key(tenant, ['workspaces:read'], { memberId: lead.id });
    expect((await scoped.patch(`${WORKSPACES}/${closed}`, { name: 'x' })).status).toBe(403);
    const make = async ({ api }: typeof lead, body: object) =>
      (await api.post(WORKSPACES, { name: 'New', ...body })).status;
    expect(await make(manager, {})).toBe(403);
    expect(await make(manager, { parentId: open })).toBe(200);
    expect(await make(stranger, {})).toBe(403);
  });

  it('has default roles, which the caller must hold and which must not be privileged', async () => {
    const tenant = await platform.tenant();
    const sales = await makeRole(tenant, 'Sales', ['deals:write']);
    const id = await makeWorkspace(tenant.api, 'EMEA', { defaultRoleIds: [sales] });
    const { id: member } = await person(platform, tenant, 'member');
    await tenant.api.post(`${WORKSPACES}/${id}/members`, { membershipId: member });
    expect((await tenant.api.get<Membership>(`${MEMBERSHIPS}/${member}`)).body.roleIds).toContain(sales);
    const lead = await platform.member(tenant, 'Lead', ['*'], { roles: ['viewer'], workspaces: { [id]: 'lead' } });
    expect(await lead.api.patch(`${WORKSPACES}/${id}`, { defaultRoleIds: [sales, OWNER] })).toMatchObject({
      status: 403,
    });
    const strong = await makeRole(tenant, 'Strong', ['members:manage']);
    expect(await tenant.api.patch(`${WORKSPACES}/${id}`, { defaultRoleIds: [strong] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/defaultRoleIds/0', code: 'privileged_role' }] },
    });
    // A default role that has become privileged since is not granted.
    await tenant.api.patch(`${ROLES}/${sales}`, { add: ['members:manage'] });
    const { id: next } = await person(platform, tenant, 'member');
    expect(await lead.api.post(`${WORKSPACES}/${id}/members`, { membershipId: next })).toMatchObject({
      status: 409,
      body: { code: 'blocked' },
    });
    expect((await tenant.api.get<Membership>(`${MEMBERSHIPS}/${next}`)).body.roleIds).toEqual([MEMBER]);
  });
});
