import { uuidv7 } from '#libs/kernel/id.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  ADMIN,
  change,
  keyWorks,
  makeRole,
  makeWorkspace,
  MANAGER,
  MEMBER,
  type Membership,
  MEMBERSHIPS,
  OWNER,
  type Page,
  person,
  VIEWER,
} from './people-calls.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

describe('changing a member', () => {
  it('sets roles, workspaces and title in one version, with one audit entry and one event', async () => {
    const tenant = await platform.tenant();
    const { id } = await person(platform, tenant, 'member');
    const workspaceId = await makeWorkspace(tenant.api, 'EMEA');
    const body = { roleIds: [MANAGER, VIEWER], workspaceIds: [workspaceId], title: 'Lead', reason: 'Promoted' };
    expect(await change(tenant.api, id, body)).toMatchObject({
      status: 200,
      body: { id, version: 2, roleIds: [MANAGER, VIEWER], workspaceIds: [workspaceId], title: 'Lead', effects: [] },
    });
    expect(await rows('select action from data.audit_log where target_id = $1', [id])).toEqual([
      { action: 'core.membership.updated' },
    ]);
    const events = await rows<{ type: string; envelope: string }>(
      'select type, envelope from data.events where subject_id = $1',
      [id],
    );
    expect(events.map(({ type }) => type)).toEqual(['core.membership.updated']);
    expect(events[0]!.envelope).not.toContain('@example.test');
    expect(await change(tenant.api, id, body)).toMatchObject({ body: { version: 2 } });
    expect(await tenant.api.patch(`${MEMBERSHIPS}/${id}`, { title: 'x' }, { 'if-match': '"1"' })).toMatchObject({
      status: 412,
    });
  });

  it('suspends: keys are refused immediately and work again after reactivation', async () => {
    const tenant = await platform.tenant();
    const { id, api } = await person(platform, tenant, 'member');
    expect(await keyWorks(api)).toBe(200);
    expect(await change(tenant.api, id, { status: 'suspended' })).toMatchObject({
      status: 200,
      body: { status: 'suspended', sessionEpoch: 2, apiKeyCount: 1, effects: [{ type: 'keys_paused', count: 1 }] },
    });
    expect(await keyWorks(api)).toBe(401);
    expect(await change(tenant.api, id, { status: 'active' })).toMatchObject({ body: { status: 'active' } });
    expect(await keyWorks(api)).toBe(200);
    const actions = await rows<{ action: string }>(
      'select action from data.audit_log where target_id = $1 order by id',
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['core.membership.suspended', 'core.membership.reactivated']),
    );
  });

  it('deactivates: keys are revoked, and only owners can reactivate', async () => {
    const tenant = await platform.tenant();
    const [owner, admin] = [await person(platform, tenant, 'owner'), await person(platform, tenant, 'admin')];
    const { id, api } = await person(platform, tenant, 'member');
    expect(await change(admin.api, id, { status: 'deactivated' })).toMatchObject({
      body: { status: 'deactivated', apiKeyCount: 0, effects: [{ type: 'keys_revoked', count: 1 }] },
    });
    expect(await change(admin.api, id, { status: 'suspended' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect(await change(admin.api, id, { status: 'active' })).toMatchObject({ status: 403 });
    expect(await change(owner.api, id, { status: 'active' })).toMatchObject({ status: 200 });
    expect(await keyWorks(api)).toBe(401);
  });

  it('refuses references to another tenant', async () => {
    const [own, other] = [await platform.tenant(), await platform.tenant()];
    const { id } = await person(platform, own, 'member');
    const stranger = await person(platform, other, 'member');
    const role = await makeRole(other, 'Theirs', ['deals:read']);
    const workspace = await makeWorkspace(other.api, 'Theirs');
    for (const [body, pointer] of [
      [{ roleIds: [MEMBER, role] }, '/roleIds/1'],
      [{ workspaceIds: [workspace] }, '/workspaceIds/0'],
      [{ transferOwnedTo: stranger.id }, '/transferOwnedTo'],
      [{ roleIds: [uuidv7()] }, '/roleIds/0'],
    ] as const)
      expect(await change(own.api, id, body)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer, code: 'unknown_reference' }] },
      });
    expect(await change(own.api, stranger.id, { title: 'x' })).toMatchObject({ status: 404 });
    expect(await own.api.get(`${MEMBERSHIPS}/${stranger.id}`)).toMatchObject({ status: 404 });
    expect(await own.api.get<Membership>(`${MEMBERSHIPS}/${id}`)).toMatchObject({ body: { version: 1 } });
  });
});

describe('a member managed by SCIM', () => {
  it('can only be changed through SCIM', async () => {
    const tenant = await platform.tenant();
    const { id } = await person(platform, tenant, 'member');
    const workspace = await makeWorkspace(tenant.api, 'Provisioned');
    const configId = uuidv7();
    const source = `scim:${configId}:group`;
    await rows(
      `insert into data.scim_configs (tenant_id, id, name, status, token_last4, created_by, created_at, updated_at)
       values ($1, $2, 'Entra', 'active', 'abcd', '{"type": "system", "id": null, "name": "test"}', now(), now())`,
      [tenant.id, configId],
    );
    await rows('update data.scim_users set config_id = $1 where id = $2', [configId, id]);
    await rows(`insert into data.role_assignments values ($1, $2, $3, $4, now())`, [tenant.id, id, VIEWER, source]);
    await rows(`insert into data.workspace_members values ($1, $2, $3, 'member', $4, now(), '{}')`, [
      ...[tenant.id, workspace, id, source],
    ]);
    const refused = { status: 409, body: { code: 'managed_by_scim' } };
    for (const body of [{ status: 'suspended' }, { title: 'Boss' }, { roleIds: [MEMBER] }, { workspaceIds: [] }])
      expect(await change(tenant.api, id, body)).toMatchObject(refused);
    expect(await change(tenant.api, id, { roleIds: [VIEWER, MANAGER] })).toMatchObject({
      status: 200,
      body: { roleIds: [MANAGER, VIEWER], managedByScim: true },
    });
    expect(await rows('select role_id, source from data.role_assignments where membership_id = $1', [id])).toEqual(
      expect.arrayContaining([
        { role_id: VIEWER, source },
        { role_id: MANAGER, source: 'manual' },
      ]),
    );
  });
});

describe('the list of members', () => {
  it('filters, sorts, pages and counts seats', async () => {
    const tenant = await platform.tenant({ plan: 'starter' });
    const people: string[] = [];
    for (const role of ['owner', 'admin', 'member', 'member']) people.push((await person(platform, tenant, role)).id);
    await change(tenant.api, people[3]!, { status: 'suspended' });
    const list = async (query: string) => (await tenant.api.get<Page<Membership>>(`${MEMBERSHIPS}?${query}`)).body;
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id).sort();
    expect(await list('')).toMatchObject({ seats: { used: 3, limit: 100 }, invitations: null });
    expect(await ids(`roleId=${MEMBER}`)).toEqual([people[2], people[3]].sort());
    expect(await ids('status=suspended')).toEqual([people[3]]);
    expect(await ids('q=a own')).toEqual([people[0]]);
    expect(await ids('withoutMfa=false')).toEqual([]);
    expect(await ids('withoutMfa=true')).toHaveLength(4);
    expect((await list('include=invitations')).invitations).toEqual([]);
    const workspace = await makeWorkspace(tenant.api, 'One');
    await change(tenant.api, people[1]!, { workspaceIds: [workspace] });
    expect(await ids(`workspaceId=${workspace}`)).toEqual([people[1]]);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, page }: Page<Membership> = await list(`limit=1&sort=-lastActiveAt${cursor && `&cursor=${cursor}`}`);
      seen.push(...data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen.sort()).toEqual([...people].sort());
  });

  it('with a limited reach, only lists the caller and members of the caller’s workspaces', async () => {
    const tenant = await platform.tenant();
    const [one, other] = [await makeWorkspace(tenant.api, 'One'), await makeWorkspace(tenant.api, 'Other')];
    const inOne = { roles: ['member'], workspaces: { [one]: 'member' as const } };
    const viewer = await platform.member(tenant, 'Viewer', ['*'], inOne);
    const near = await platform.member(tenant, 'Near', ['*'], inOne);
    const far = await platform.member(tenant, 'Far', ['*'], { roles: ['member'], workspaces: { [other]: 'member' } });
    const { body } = await viewer.api.get<Page<Membership>>(MEMBERSHIPS);
    expect(body.data.map(({ id }) => id).sort()).toEqual([viewer.id, near.id].sort());
    expect(await viewer.api.get(`${MEMBERSHIPS}/${near.id}`)).toMatchObject({ status: 200 });
    expect(await viewer.api.get(`${MEMBERSHIPS}/${far.id}`)).toMatchObject({ status: 404 });
    expect(await change(viewer.api, near.id, { title: 'x' })).toMatchObject({ status: 403 });
    expect(await viewer.api.post(`${MEMBERSHIPS}/${near.id}/reset-session`)).toMatchObject({ status: 403 });
    expect(await viewer.api.post(`${MEMBERSHIPS}/${far.id}/reset-session`)).toMatchObject({ status: 404 });
    expect(await viewer.api.post(`${MEMBERSHIPS}/${viewer.id}/reset-session`)).toMatchObject({ status: 200 });
  });

  it('shows the last activity and filters by inactivity', async () => {
    const tenant = await platform.tenant();
    const [busy, idle] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
    platform.clock.advance(40 * 86_400_000);
    await busy.api.get('/api/v1/sales/deals');
    await platform.app.get(CredentialUses).flush();
    const at = new Date(platform.clock.nowMs()).toISOString().slice(0, 10);
    const { body } = await tenant.api.get<Membership>(`${MEMBERSHIPS}/${busy.id}`);
    expect(body.lastActiveAt?.slice(0, 10)).toBe(at);
    expect(body.version).toBe(1);
    const { data } = (await tenant.api.get<Page<Membership>>(`${MEMBERSHIPS}?inactiveSinceDays=30`)).body;
    expect(data.map(({ id }) => id)).toEqual([idle.id]);
  });
});

it('marks owner and admin as privileged roles', async () => {
  const tenant = await platform.tenant();
  const owner = await person(platform, tenant, 'owner');
  const { id } = await person(platform, tenant, 'member');
  for (const roleId of [OWNER, ADMIN])
    expect(await change(owner.api, id, { roleIds: [roleId] })).toMatchObject({ status: 200 });
});
