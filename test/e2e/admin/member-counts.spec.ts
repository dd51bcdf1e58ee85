import pg from 'pg';
import { URN } from '#libs/scim-language/urn.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { connect } from '../scim/scene.js';
import {
  change,
  makeRole,
  makeWorkspace,
  MEMBER,
  type Membership,
  MEMBERSHIPS,
  ROLES,
  WORKSPACES,
} from './people-calls.js';

const INVITATIONS = '/api/admin/invitations';
const GROUPS = ['Crew', 'Team'];

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

interface Counts {
  seats: number;
  role: number;
  workspace: number;
  users: number;
  groups: number;
}

interface Place {
  tenant: TestTenant;
  roleId: string;
  workspaceId: string;
}

/** The counts in the API. */
async function told({ tenant: { api }, roleId, workspaceId }: Place): Promise<Counts> {
  const count = async (path: string) => (await api.get<{ memberCount: number }>(path)).body.memberCount;
  const { body: page } = await api.get<{ seats: { used: number } }>(`${MEMBERSHIPS}?limit=1`);
  const { body: list } = await api.get<{ data: { userCount: number; groupCount: number }[] }>('/api/admin/scim');
  const [{ userCount: users, groupCount: groups }] = list.data as [{ userCount: number; groupCount: number }];
  const [role, workspace] = [await count(`${ROLES}/${roleId}`), await count(`${WORKSPACES}/${workspaceId}`)];
  return { seats: page.seats.used, role, workspace, users, groups };
}

/** The same, counted directly. */
async function counted({ tenant, roleId, workspaceId }: Place): Promise<Counts> {
  const held = (table: string, column: string, value: string) => `(select count(distinct a.membership_id)::int
    from data.${table} a join data.memberships m on m.tenant_id = a.tenant_id and m.id = a.membership_id
    where a.tenant_id = $1 and a.${column} = '${value}' and m.deleted_at is null)`;
  const [row] = await asAdmin<Counts & Record<string, unknown>>(
    platform.database,
    `select (select count(*)::int from data.memberships
         where tenant_id = $1 and status in ('active', 'invited') and deleted_at is null)
       + (select count(*)::int from data.invitations where tenant_id = $1 and status = 'pending' and expires_at > $2) as seats,
       ${held('role_assignments', 'role_id', roleId)} as role,
       ${held('workspace_members', 'workspace_id', workspaceId)} as workspace,
       (select count(*)::int from data.scim_users
         where tenant_id = $1 and config_id is not null and deleted_at is null) as users,
       (select count(*)::int from data.scim_groups where tenant_id = $1 and deleted_at is null) as groups`,
    [tenant.id, platform.clock.now()],
  );
  return row!;
}

it('match the actual numbers under concurrent changes', async () => {
  const tenant = await platform.tenant();
  const { api } = tenant;
  const [roleId, workspaceId] = [await makeRole(tenant, 'Seller', ['deals:read']), await makeWorkspace(api, 'EMEA')];
  const place = { tenant, roleId, workspaceId };
  const mapped = GROUPS.map((group) => ({ group, roleIds: [roleId], workspaceIds: [workspaceId] }));
  const { scim } = await connect(platform, { groupRoleMap: mapped }, tenant);
  const users = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const { body } = await scim.post<{ id: string }>('/Users', { userName: `u${i}@acme.example` });
      return body.id;
    }),
  );
  const groups = await Promise.all(
    GROUPS.map(async (displayName) => (await scim.post<{ id: string }>('/Groups', { displayName })).body.id),
  );
  expect(await told(place)).toEqual({ seats: 8, role: 0, workspace: 0, users: 8, groups: 2 });

  const patch = (path: string, op: object) => scim.patch(path, { schemas: [URN.patchOp], Operations: [op] });
  const join = (group: string) =>
    patch(`/Groups/${group}`, { op: 'add', path: 'members', value: users.map((value) => ({ value })) });
  const leave = (group: string, id: string) =>
    patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${id}"]` });
  const active = (id: string, value: boolean) => patch(`/Users/${id}`, { op: 'replace', path: 'active', value });
  /** Changes manual grants; roles granted by providers meanwhile must be included. */
  const byHand = async (id: string, gives: boolean) => {
    const { roleIds, workspaceIds } = (await api.get<Membership>(`${MEMBERSHIPS}/${id}`)).body;
    const body = { roleIds: [...roleIds, roleId], workspaceIds: [...workspaceIds, workspaceId] };
    const unique = { roleIds: [...new Set(body.roleIds)], workspaceIds: [...new Set(body.workspaceIds)] };
    return change(api, id, gives ? unique : { roleIds: [MEMBER], workspaceIds: [] });
  };
  const rounds: (() => Promise<unknown>)[][] = [
    [...groups.map((group) => () => join(group)), ...users.map((id) => () => byHand(id, true))],
    [
      ...users.slice(0, 4).map((id, i) => () => leave(groups[i % 2]!, id)),
      ...users.slice(2, 6).map((id) => () => byHand(id, false)),
      ...users.slice(4, 7).map((id) => () => active(id, false)),
      ...[1, 2, 3].map((i) => () => api.post(INVITATIONS, { email: `guest${i}@acme.example` })),
      () => scim.delete(`/Users/${users[7]!}`),
    ],
    [
      ...groups.map((group) => () => join(group)),
      ...users.slice(0, 3).map((id) => () => scim.delete(`/Users/${id}`)),
      ...users.slice(4, 6).map((id) => () => active(id, true)),
      () => scim.delete(`/Groups/${groups[1]!}`),
    ],
  ];
  for (const round of rounds) {
    await Promise.all(round.map((act) => act()));
    expect(await told(place)).toEqual(await counted(place));
  }
  const { role, users: left, groups: kept } = await told(place);
  expect({ role: role > 0, left, kept }).toEqual({ role: true, left: 4, kept: 1 });
  platform.clock.advance(31 * 86_400_000); // the invitations have expired but are not closed yet
  expect(await told(place)).toEqual(await counted(place));
});

it('count a member once for all sources, also in statements on many members', async () => {
  const tenant = await platform.tenant();
  const [roleId, workspaceId] = [
    await makeRole(tenant, 'Seller', ['deals:read']),
    await makeWorkspace(tenant.api, 'EMEA'),
  ];
  await connect(platform, {}, tenant);
  const place = { tenant, roleId, workspaceId };
  for (const name of ['Ana', 'Bob', 'Eve']) await platform.member(tenant, name);
  const write = (text: string) => asAdmin(platform.database, text, [tenant.id]);
  const give = (source: string) =>
    write(`insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
      select $1, id, '${roleId}', '${source}', now() from data.memberships where tenant_id = $1`);
  const take = (source: string) =>
    write(`delete from data.role_assignments where tenant_id = $1 and role_id = '${roleId}' and source = '${source}'`);
  const before = await told(place);
  expect(before.role).toBe(0);
  for (const [change, role] of [
    [() => give('manual'), 3],
    [() => give('scim:a'), 3],
    [() => take('manual'), 3],
    [
      () =>
        write(
          `update data.memberships set deleted_at = now(), version = version + 1 where tenant_id = $1 and name = 'Eve'`,
        ),
      2,
    ],
    [() => take('scim:a'), 0],
  ] as const) {
    await change();
    expect((await told(place)).role).toBe(role);
  }
  expect(await told(place)).toEqual({ ...before, seats: before.seats - 1 });
});

it('count a member once when two sources grant the same concurrently, until the last one revokes it', async () => {
  const tenant = await platform.tenant();
  const roleId = await makeRole(tenant, 'Seller', ['deals:read']);
  const { id } = await platform.member(tenant, 'Ana');
  const clients = [0, 1].map(() => new pg.Client({ connectionString: platform.database.adminUrl }));
  const [first, second] = clients as [pg.Client, pg.Client];
  for (const client of clients) await client.connect();
  const { pid } = (await second.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!;
  /** The second has written its row and waits for the first, whose row it cannot see yet. */
  const both = async (text: (source: string) => string) => {
    for (const client of clients) await client.query('begin');
    await first.query(text('scim:a'));
    const waiting = second.query(text('scim:b'));
    await isWaiting();
    await first.query('commit');
    await waiting;
    await second.query('commit');
    return (await tenant.api.get<{ memberCount: number }>(`${ROLES}/${roleId}`)).body.memberCount;
  };
  const isWaiting = async (): Promise<void> => {
    const [row] = await asAdmin<{ waits: boolean }>(
      platform.database,
      `select exists (select from pg_locks where not granted and pid = $1) as waits`,
      [pid],
    );
    if (!row!.waits) return isWaiting();
  };
  expect(
    await both(
      (source) => `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
        values ('${tenant.id}', '${id}', '${roleId}', '${source}', now())`,
    ),
  ).toBe(1);
  expect(
    await both((source) => `delete from data.role_assignments where membership_id = '${id}' and source = '${source}'`),
  ).toBe(0);
  for (const client of clients) await client.end();
});
