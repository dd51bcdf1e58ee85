import { uuidv7 } from '#libs/kernel/id.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import {
  makeRole,
  makeWorkspace,
  change,
  type Page,
  person,
  type Place,
  placesOf,
  type Workspace,
  WORKSPACES,
} from './people-calls.js';

interface Added {
  data: { ok: boolean; member: Place | null; error: { code: string } | null }[];
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

describe('its members', () => {
  it('are added with individual results and listed with their roles', async () => {
    const tenant = await platform.tenant();
    const id = await makeWorkspace(tenant.api, 'EMEA');
    const [first, second] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'viewer')];
    const stranger = await person(platform, await platform.tenant(), 'member');
    const members = [
      { membershipId: first.id },
      { email: `${second.id.toUpperCase()}@example.test`, workspaceRole: 'guest' },
      { membershipId: stranger.id },
    ];
    const answer = await tenant.api.post<Added>(`${WORKSPACES}/${id}/members`, { members });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: [
          { ok: true, member: { membership: { id: first.id }, workspaceRole: 'lead', source: 'manual' } },
          { ok: true, member: { membership: { id: second.id }, workspaceRole: 'guest' } },
          { ok: false, member: null, error: { code: 'validation_failed' } },
        ],
      },
    });
    expect(await tenant.api.get(`${WORKSPACES}/${id}`)).toMatchObject({ body: { leadId: first.id, memberCount: 2 } });
    const page = async (query: string) =>
      (await tenant.api.get<Page<Place>>(`${WORKSPACES}/${id}/members?${query}`)).body;
    const { data, page: info } = await page('limit=1');
    expect(data).toHaveLength(1);
    expect((await page(`limit=1&cursor=${info.nextCursor}`)).data[0]!.membership.id).not.toBe(data[0]!.membership.id);
    expect((await page('q=viewer')).data.map(({ membership }) => membership.id)).toEqual([second.id]);
    const actions = await rows<{ action: string }>(
      `select action from data.audit_log where target_id = $1 and action like '%member%'`,
      [id],
    );
    expect(actions).toHaveLength(2);
    for (const body of [{}, { membershipId: first.id, email: 'a@b.example' }, { members: [{ workspaceRole: 'lead' }] }])
      expect(await tenant.api.post(`${WORKSPACES}/${id}/members`, body)).toMatchObject({ status: 400 });
    expect(await tenant.api.post(`${WORKSPACES}/${id}/members`, { membershipId: stranger.id })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/membershipId', code: 'unknown_reference' }] },
    });
  });

  it('always have a lead: another lead or the longest-standing member takes over', async () => {
    const tenant = await platform.tenant();
    const id = await makeWorkspace(tenant.api, 'EMEA');
    const people = [];
    for (const _ of [1, 2, 3, 4]) people.push((await person(platform, tenant, 'member')).id);
    const [first, second, third, guest] = people as [string, string, string, string];
    const members = [first, second, third].map((membershipId) => ({ membershipId }));
    await tenant.api.post(`${WORKSPACES}/${id}/members`, {
      members: [...members, { membershipId: guest, workspaceRole: 'guest' }],
    });
    const leadOf = async () => (await tenant.api.get<Workspace>(`${WORKSPACES}/${id}`)).body.leadId;
    for (const [workspaceRole, code] of [
      ['member', 'blocked'],
      [undefined, 'duplicate'],
    ])
      expect(
        await tenant.api.post(`${WORKSPACES}/${id}/members`, { membershipId: first, workspaceRole }),
      ).toMatchObject({
        status: 409,
        body: { code },
      });
    await tenant.api.patch(`${WORKSPACES}/${id}`, { leadId: third });
    expect(await placesOf(tenant, id)).toMatchObject({ [first]: 'member', [third]: 'lead' });
    expect(await tenant.api.delete(`${WORKSPACES}/${id}/members?membershipId=${third}`)).toMatchObject({
      body: { removed: 1, reassigned: 0 },
    });
    expect(await leadOf()).toBe(first);
    expect(await placesOf(tenant, id)).toEqual({ [first]: 'lead', [second]: 'member', [guest]: 'guest' });
    await change(tenant.api, first, { workspaceIds: [] });
    expect(await leadOf()).toBe(second);
    // A repeated parameter contains two ids.
    const both = `membershipId=${second}&membershipId=${guest}`;
    expect(await tenant.api.delete(`${WORKSPACES}/${id}/members?${both}`)).toMatchObject({ body: { removed: 2 } });
    expect(await leadOf()).toBeNull();
    expect(await tenant.api.delete(`${WORKSPACES}/${id}/members?membershipId=${second}`)).toMatchObject({
      status: 400,
    });
    expect(await tenant.api.patch(`${WORKSPACES}/${id}`, { leadId: uuidv7() })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/leadId' }] },
    });
  });

  it('can be led by an inactive member if there is nobody else, but never by a guest', async () => {
    const tenant = await platform.tenant();
    const id = await makeWorkspace(tenant.api, 'EMEA');
    const [first, away, guest] = await Promise.all(
      ['member', 'member', 'member'].map((r) => person(platform, tenant, r)),
    );
    await tenant.api.post(`${WORKSPACES}/${id}/members`, {
      members: [
        { membershipId: first!.id },
        { membershipId: away!.id },
        { membershipId: guest!.id, workspaceRole: 'guest' },
      ],
    });
    await change(tenant.api, away!.id, { status: 'suspended' });
    const leadOf = async () => (await tenant.api.get<Workspace>(`${WORKSPACES}/${id}`)).body.leadId;
    await tenant.api.delete(`${WORKSPACES}/${id}/members?membershipId=${first!.id}`);
    expect(await leadOf()).toBe(away!.id);
    expect(await placesOf(tenant, id)).toEqual({ [away!.id]: 'lead', [guest!.id]: 'guest' });
    await tenant.api.delete(`${WORKSPACES}/${id}/members?membershipId=${away!.id}`);
    expect(await leadOf()).toBeNull();
    await tenant.api.post(`${WORKSPACES}/${id}/members`, { membershipId: first!.id });
    expect(await leadOf()).toBe(first!.id);
  });

  it('cannot extend their own rights by becoming lead, by more than guest access, or by default roles', async () => {
    const tenant = await platform.tenant();
    const sales = await makeRole(tenant, 'Sales', ['invoices:void']);
    const [plain, giving] = [
      await makeWorkspace(tenant.api, 'Plain'),
      await makeWorkspace(tenant.api, 'Giving', { defaultRoleIds: [sales] }),
    ];
    const oneself = { status: 403, body: { code: 'not_by_oneself' } };
    const wide = await makeRole(tenant, 'Wide', ['workspaces:*', 'deals:read@workspace']);
    const opener = await platform.member(tenant, 'Opener', ['*'], { roles: [wide], workspaces: { [plain]: 'guest' } });
    expect(await opener.api.patch(`${WORKSPACES}/${plain}`, { leadId: opener.id })).toMatchObject(oneself);
    for (const workspaceRole of ['member', 'lead'])
      expect(
        await opener.api.post(`${WORKSPACES}/${plain}/members`, { membershipId: opener.id, workspaceRole }),
      ).toMatchObject(oneself);
    expect(await placesOf(tenant, plain)).toEqual({ [opener.id]: 'guest' });
    const narrow = await makeRole(tenant, 'Narrow', ['workspaces:*']);
    const keeper = await platform.member(tenant, 'Keeper', ['*'], { roles: [narrow] });
    expect(await keeper.api.post(`${WORKSPACES}/${giving}/members`, { membershipId: keeper.id })).toMatchObject(
      oneself,
    );
    expect(await keeper.api.post(`${WORKSPACES}/${plain}/members`, { membershipId: keeper.id })).toMatchObject({
      status: 200,
    });
  });

  it('cannot add themselves to extend their rights, and only SCIM revokes grants of SCIM', async () => {
    const tenant = await platform.tenant();
    const [one, other] = [await makeWorkspace(tenant.api, 'One'), await makeWorkspace(tenant.api, 'Other')];
    const role = await makeRole(tenant, 'Opener', ['workspaces:manage', 'workspaces:read', 'deals:read@workspace']);
    const opener = await platform.member(tenant, 'Opener', ['*'], { roles: [role], workspaces: { [one]: 'member' } });
    expect(await opener.api.post(`${WORKSPACES}/${other}/members`, { membershipId: opener.id })).toMatchObject({
      status: 403,
      body: { code: 'not_by_oneself' },
    });
    const admin = await person(platform, tenant, 'admin');
    expect(await admin.api.post(`${WORKSPACES}/${other}/members`, { membershipId: admin.id })).toMatchObject({
      status: 200,
    });
    const source = `scim:${uuidv7()}`;
    await rows(`insert into data.workspace_members values ($1, $2, $3, 'member', $4, now(), '{}')`, [
      ...[tenant.id, other, opener.id, source],
    ]);
    expect(await tenant.api.delete(`${WORKSPACES}/${other}/members?membershipId=${opener.id}`)).toMatchObject({
      status: 409,
      body: { code: 'managed_by_scim' },
    });
  });
});
