import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { connect, type Provider } from './scene.js';

interface Member {
  value: string;
  display: string;
  type: string;
  $ref: string;
}

interface Group {
  id: string;
  displayName: string;
  members?: Member[];
  meta: { version: string; location: string };
}

interface List {
  totalResults: number;
  Resources: Group[];
}

let platform: TestPlatform;
let admin: pg.Client;
beforeAll(async () => {
  platform = await startPlatform();
  admin = new pg.Client({ connectionString: platform.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

/** Inserts memberships as rows, as a migration does. */
async function people(tenant: TestTenant, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await admin.query(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at)
     select $1, id, id || '@acme.example', 'Person ' || place, 'active', now()
     from unnest($2::uuid[]) with ordinality as t (id, place)`,
    [tenant.id, ids],
  );
  return ids;
}

const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
const values = (ids: readonly string[]) => ids.map((value) => ({ value }));

async function groupOf({ scim }: Provider, ids: readonly string[] = [], displayName = 'Sales'): Promise<Group> {
  const { status, body, text } = await scim.post<Group>('/Groups', { displayName, members: values(ids) });
  if (status !== 201) throw new Error(text);
  return body;
}

async function membersOf({ scim }: Provider, id: string): Promise<string[]> {
  const { body } = await scim.get<Group>(`/Groups/${id}`);
  return (body.members ?? []).map(({ value }) => value);
}

describe('a group', () => {
  it('is created with its members, and shows them', async () => {
    const provider = await connect(platform);
    const [ana, bo] = await people(provider.tenant, 2);
    const answer = await provider.scim.post<Group>('/Groups', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:Group',
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: 'g-1',
      displayName: 'Sales',
      members: [{ value: ana }, { value: bo, display: 'ignored', $ref: null }],
      meta: { resourceType: 'Group' },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(answer.body.meta.location);
    const { body } = await provider.scim.get<Group>(`/Groups/${answer.body.id}`);
    expect(body).toEqual(answer.body);
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      externalId: 'g-1',
      displayName: 'Sales',
      members: [
        { value: ana, display: 'Person 1', type: 'User' },
        { value: bo, display: 'Person 2', type: 'User' },
      ],
      meta: { resourceType: 'Group', version: 'W/"1"' },
    });
    expect(body.members![0]!.$ref).toMatch(new RegExp(`/api/scim/v2/Users/${ana}$`));
    const user = await provider.scim.get<{ groups: object[] }>(`/Users/${ana}`);
    expect(user.body.groups).toMatchObject([{ value: body.id, display: 'Sales', type: 'direct' }]);
  });

  it('skips members that are not users, and logs them', async () => {
    const provider = await connect(platform);
    const other = await connect(platform);
    const [ana] = await people(provider.tenant, 1);
    const [stranger] = await people(other.tenant, 1);
    const nobody = randomUUID();
    const group = await groupOf(provider, [ana!, stranger!, 'not-an-id']);
    expect(await membersOf(provider, group.id)).toEqual([ana]);
    const answer = await provider.scim.patch(
      `/Groups/${group.id}`,
      patchOf({ op: 'add', path: 'members', value: values([nobody]) }),
    );
    expect(answer.status).toBe(204);
    const remarks = () =>
      admin.query<{ error: string }>(
        `select error from data.scim_log where config_id = $1 and error is not null order by id`,
        [provider.id],
      );
    await until(async () => (await remarks()).rowCount === 2); // written after the response
    expect((await remarks()).rows.map(({ error }) => error)).toEqual([
      expect.stringContaining(`${stranger}, not-an-id`),
      expect.stringContaining(nobody),
    ]);
  });

  it('has a unique name, ignoring case and marks that nobody sees', async () => {
    const provider = await connect(platform);
    await groupOf(provider, [], 'Élan');
    const other = await groupOf(provider, [], 'Other');
    const refused = { status: 409, body: { scimType: 'uniqueness', status: '409' } };
    for (const displayName of ['ÉLAN', 'Éla\u200bn'])
      expect(await provider.scim.post('/Groups', { displayName })).toMatchObject(refused);
    expect(await provider.scim.put(`/Groups/${other.id}`, { displayName: 'e\u0301lan' })).toMatchObject(refused);
    const rename = patchOf({ op: 'replace', path: 'displayName', value: 'élan' });
    expect(await provider.scim.patch(`/Groups/${other.id}`, rename)).toMatchObject(refused);
    // A rejected change has no effect.
    expect((await provider.scim.get<Group>(`/Groups/${other.id}`)).body).toMatchObject({
      displayName: 'Other',
      meta: other.meta,
    });
    expect(
      (await connect(platform).then((stranger) => stranger.scim.post('/Groups', { displayName: 'Élan' }))).status,
    ).toBe(201);
  });

  it('is named on one line, with something to see, and no longer than can be searched', async () => {
    const provider = await connect(platform);
    const { id } = await groupOf(provider);
    const long = randomBytes(3_000).toString('base64');
    const refused = { status: 400, body: { scimType: 'invalidValue' } };
    for (const [field, value] of [
      ['displayName', 'Sales\r\nBcc: ada@acme.example'],
      ['displayName', 'Sales\u2028EMEA'],
      ['displayName', '\u202eSales'],
      ['displayName', '\u200b'],
      ['displayName', long],
      ['externalId', long],
    ] as const) {
      const group = { displayName: 'Another', [field]: value };
      expect(await provider.scim.post('/Groups', group)).toMatchObject(refused);
      expect(await provider.scim.put(`/Groups/${id}`, group)).toMatchObject(refused);
      const change = patchOf({ op: 'replace', path: field, value });
      expect(await provider.scim.patch(`/Groups/${id}`, change)).toMatchObject(refused);
    }
    const longest = { displayName: long.slice(0, 500), externalId: long.slice(0, 500) };
    expect((await provider.scim.post('/Groups', longest)).status).toBe(201);
  });

  it('is not found after deletion, and its name is available', async () => {
    const provider = await connect(platform);
    const [ana] = await people(provider.tenant, 1);
    const group = await groupOf(provider, [ana!]);
    expect((await provider.scim.delete(`/Groups/${group.id}`)).status).toBe(204);
    expect((await provider.scim.get(`/Groups/${group.id}`)).status).toBe(404);
    expect((await provider.scim.delete(`/Groups/${group.id}`)).status).toBe(404);
    expect((await provider.scim.get<{ groups?: object[] }>(`/Users/${ana}`)).body.groups).toBeUndefined();
    expect((await groupOf(provider)).id).not.toBe(group.id);
  });

  it('is invisible to other tenants', async () => {
    const [provider, other] = [await connect(platform), await connect(platform)];
    const group = await groupOf(provider);
    const path = `/Groups/${group.id}`;
    const answers = [
      await other.scim.get(path),
      await other.scim.put(path, { displayName: 'Mine' }),
      await other.scim.patch(path, patchOf({ op: 'replace', path: 'displayName', value: 'Mine' })),
      await other.scim.delete(path),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await other.scim.get<List>('/Groups')).body.totalResults).toBe(0);
    expect((await provider.scim.get(path)).status).toBe(200);
  });

  it('does not accept groups as members', async () => {
    const provider = await connect(platform);
    const group = await groupOf(provider);
    const nested = [{ value: group.id, type: 'Group' }];
    const refused = { status: 400, body: { scimType: 'invalidValue' } };
    expect(await provider.scim.post('/Groups', { displayName: 'All', members: nested })).toMatchObject(refused);
    const change = patchOf({ op: 'add', path: 'members', value: nested });
    expect(await provider.scim.patch(`/Groups/${group.id}`, change)).toMatchObject(refused);
  });

  it('changes only at the version given by the caller', async () => {
    const provider = await connect(platform);
    const group = await groupOf(provider);
    const path = `/Groups/${group.id}`;
    const stale = { 'if-match': 'W/"7"' };
    const rename = patchOf({ op: 'replace', path: 'displayName', value: 'Marketing' });
    expect((await provider.scim.patch(path, rename, stale)).status).toBe(412);
    expect((await provider.scim.put(path, { displayName: 'Marketing' }, stale)).status).toBe(412);
    expect((await provider.scim.delete(path, stale)).status).toBe(412);
    expect((await provider.scim.patch(path, rename, { 'if-match': group.meta.version })).status).toBe(204);
    expect((await provider.scim.get<Group>(path)).body.meta.version).toBe('W/"2"');
  });
});

describe('members', () => {
  it('are added and removed as Entra does, idempotently', async () => {
    const provider = await connect(platform);
    const [ana, bo, cy] = (await people(provider.tenant, 3)) as [string, string, string];
    const group = await groupOf(provider, [ana, bo]);
    const path = `/Groups/${group.id}`;
    const add = patchOf({
      op: 'Add',
      path: 'members',
      value: [
        { $ref: null, value: bo },
        { $ref: null, value: cy },
      ],
    });
    expect(await provider.scim.patch(path, add)).toMatchObject({ status: 204, text: '' });
    expect((await provider.scim.patch(path, add)).status).toBe(204);
    expect((await provider.scim.get<Group>(path)).body.meta.version).toBe('W/"2"');
    const removal = patchOf({ op: 'Remove', path: 'members', value: [{ $ref: null, value: ana }] });
    expect((await provider.scim.patch(path, removal)).status).toBe(204);
    expect((await provider.scim.patch(path, removal)).status).toBe(204);
    expect(await membersOf(provider, group.id)).toEqual([bo, cy]);
    expect((await provider.scim.patch(path, patchOf({ op: 'remove', path: `members[value eq "${bo}"]` }))).status).toBe(
      204,
    );
    expect(await membersOf(provider, group.id)).toEqual([cy]);
    expect(
      (await provider.scim.patch(path, patchOf({ op: 'remove', path: 'members', value: [{ $ref: 'x' }] }))).status,
    ).toBe(400);
    expect(
      (await provider.scim.patch(path, patchOf({ op: 'remove', path: 'members[display eq "PERSON 3"]' }))).status,
    ).toBe(204);
    expect(await membersOf(provider, group.id)).toEqual([]);
  });

  it('are pushed as Okta does', async () => {
    const provider = await connect(platform);
    const [ana, bo] = (await people(provider.tenant, 2)) as [string, string];
    const group = await groupOf(provider, [ana]);
    const path = `/Groups/${group.id}`;
    await provider.scim.patch(path, patchOf({ op: 'replace', value: { id: group.id, displayName: 'Sellers' } }));
    expect((await provider.scim.get<Group>(path)).body).toMatchObject({
      displayName: 'Sellers',
      members: [{ value: ana }],
    });
    const swap = patchOf(
      { op: 'remove', path: `members[value eq "${ana}"]` },
      { op: 'add', path: 'members', value: [{ value: bo, display: 'bo@acme.example' }] },
    );
    expect((await provider.scim.patch(path, swap)).status).toBe(204);
    expect(await membersOf(provider, group.id)).toEqual([bo]);
    await provider.scim.patch(path, patchOf({ op: 'replace', path: 'members', value: values([ana]) }));
    expect(await membersOf(provider, group.id)).toEqual([ana]);
    expect((await provider.scim.patch(path, patchOf({ op: 'replace', path: 'members', value: [] }))).status).toBe(204);
    expect(await membersOf(provider, group.id)).toEqual([]);
  });

  it('are replaced by PUT, which accepts the output of GET', async () => {
    const provider = await connect(platform);
    const [ana, bo] = (await people(provider.tenant, 2)) as [string, string];
    const group = await groupOf(provider, [ana]);
    const path = `/Groups/${group.id}`;
    const round = await provider.scim.put<Group>(path, (await provider.scim.get(path)).body);
    expect(round).toMatchObject({ status: 200, body: { meta: { version: 'W/"1"' } } });
    const { status, body } = await provider.scim.put<Group>(path, { displayName: 'Sales', members: values([bo]) });
    expect({ status, members: body.members?.map(({ value }) => value) }).toEqual({ status: 200, members: [bo] });
    expect((await provider.scim.put<Group>(path, { displayName: 'Sales' })).body.members).toBeUndefined();
  });

  it('are returned after a change only when requested by attributes', async () => {
    const provider = await connect(platform);
    const [ana] = (await people(provider.tenant, 1)) as [string];
    const group = await groupOf(provider);
    const add = patchOf({ op: 'add', path: 'members', value: values([ana]) });
    const answer = await provider.scim.patch(`/Groups/${group.id}?attributes=displayName`, add);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      id: group.id,
      displayName: 'Sales',
    });
  });

  it('are not lost in concurrent changes', async () => {
    const provider = await connect(platform);
    const ids = await people(provider.tenant, 40);
    const group = await groupOf(provider, ids.slice(0, 20));
    const [stay, leave] = [ids.slice(10, 20), ids.slice(0, 10)];
    const answers = await Promise.all([
      ...ids
        .slice(20)
        .map((id) =>
          provider.scim.patch(`/Groups/${group.id}`, patchOf({ op: 'add', path: 'members', value: values([id]) })),
        ),
      ...leave.map((id) =>
        provider.scim.patch(`/Groups/${group.id}`, patchOf({ op: 'remove', path: 'members', value: values([id]) })),
      ),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await membersOf(provider, group.id)).toEqual([...stay, ...ids.slice(20)]);
    // Each change saw the result of the previous one.
    expect((await provider.scim.get<Group>(`/Groups/${group.id}`)).body.meta.version).toBe('W/"31"');
  });

  it('are changed once by a request repeated with its idempotency key', async () => {
    const provider = await connect(platform);
    const [ana] = (await people(provider.tenant, 1)) as [string];
    const group = await groupOf(provider);
    const key = { 'idempotency-key': 'push-1' };
    const add = patchOf({ op: 'add', path: 'members', value: values([ana]) });
    expect((await provider.scim.patch(`/Groups/${group.id}`, add, key)).status).toBe(204);
    const again = await provider.scim.patch(`/Groups/${group.id}`, add, key);
    expect({ status: again.status, replayed: again.headers.get('idempotent-replayed') }).toEqual({
      status: 204,
      replayed: 'true',
    });
  });
});

describe('finding groups', () => {
  it('filters by name without reading members, and by single members', async () => {
    const provider = await connect(platform);
    const [ana, bo] = (await people(provider.tenant, 2)) as [string, string];
    const group = await groupOf(provider, [ana]);
    await groupOf(provider, [bo], 'Marketing');
    const find = async (filter: string, more = '') =>
      (await provider.scim.get<List>(`/Groups?filter=${encodeURIComponent(filter)}${more}`)).body;
    const found = await find('displayName eq "SALES"', '&excludedAttributes=members');
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ id: group.id, displayName: 'Sales' }] });
    expect(found.Resources[0]!.members).toBeUndefined();
    const asked = await find(`id eq "${group.id}" and members eq "${ana}"`, '&attributes=id');
    expect(asked.Resources).toEqual([{ schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], id: group.id }]);
    expect((await find(`id eq "${group.id}" and members eq "${bo}"`)).totalResults).toBe(0);
    expect((await find(`members.value eq "${bo}" or members[display ew "1" and type eq "user"]`)).totalResults).toBe(2);
    expect((await find(`not (members.value eq "nobody")`)).totalResults).toBe(2);
    expect((await find('displayName eq "none"')).Resources).toEqual([]);
  });

  it('sorts, paginates and projects', async () => {
    const provider = await connect(platform);
    for (const name of ['b', 'C', 'a']) await groupOf(provider, [], name);
    const { body } = await provider.scim.get<List>(
      '/Groups?sortBy=displayName&sortOrder=descending&count=2&startIndex=2&attributes=displayName',
    );
    expect(body).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 2 });
    expect(body.Resources.map(({ displayName }) => displayName)).toEqual(['b', 'a']);
  });

  it('limits the number of members in a list', async () => {
    const provider = await connect(platform);
    for (let i = 0; i < 10; i++) await groupOf(provider, [], `g${i}`);
    await admin.query('begin');
    await admin.query('set local session_replication_role = replica'); // with triggers this takes minutes
    await admin.query(
      `with made as (
         insert into data.scim_users (tenant_id, id, seq, user_name_key, active, data, keys, created_at, updated_at)
         select $1, gen_random_uuid(), i, 'u' || i, true, '{"userName": "u"}', '{}', now(), now()
         from generate_series(1, 10001) i returning id)
       insert into data.scim_group_members (tenant_id, group_id, user_id)
       select $1, g.id, made.id from made, data.scim_groups g where g.tenant_id = $1`,
      [provider.tenant.id],
    );
    await admin.query('commit');
    expect(await provider.scim.get('/Groups')).toMatchObject({ status: 400, body: { scimType: 'tooMany' } });
    expect(await provider.scim.get('/Groups?excludedAttributes=members')).toMatchObject({ body: { itemsPerPage: 10 } });
    const one = await provider.scim.get<List>('/Groups?count=1');
    expect(one.body.Resources[0]!.members).toHaveLength(10_001);
  });

  it('rejects an attribute that groups do not have', async () => {
    const provider = await connect(platform);
    expect(await provider.scim.get('/Groups?filter=userName+eq+%22x%22')).toMatchObject({
      status: 400,
      body: { scimType: 'invalidFilter' },
    });
  });
});

describe('roles and workspaces of a mapping', () => {
  const { manager, viewer } = SYSTEM_ROLE_IDS;
  const grants = async (id: string) => {
    const { rows } = await admin.query<{ grant: string }>(
      `select role_id || ' ' || split_part(source, ':', 1) as grant from data.role_assignments where membership_id = $1
       union all select 'workspace ' || split_part(source, ':', 1) from data.workspace_members
         where membership_id = $1 and source <> 'manual' order by 1`,
      [id],
    );
    return rows.map((row) => row.grant);
  };

  async function mapped() {
    const tenant = await platform.tenant();
    const { body: workspace } = await tenant.api.post<{ id: string }>('/api/admin/workspaces', { name: 'Field' });
    const groupRoleMap = [{ group: 'sales', roleIds: [manager], workspaceIds: [workspace.id] }];
    return connect(platform, { groupRoleMap }, tenant);
  }

  it('follow the members, their group and its name', async () => {
    const provider = await mapped();
    const [ana, bo] = (await people(provider.tenant, 2)) as [string, string];
    await admin.query(
      `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at) values
        ($1, $2, $3, 'manual', now()), ($1, $2, $4, 'manual', now())`,
      [provider.tenant.id, ana, manager, viewer],
    );
    const own = [`${manager} manual`, `${viewer} manual`];
    const all = [`${manager} manual`, `${manager} scim`, `${viewer} manual`, 'workspace scim'];
    const given = [`${manager} scim`, 'workspace scim'];
    const group = await groupOf(provider, [ana]);
    const path = `/Groups/${group.id}`;
    expect(await grants(ana)).toEqual(all);
    await provider.scim.patch(path, patchOf({ op: 'add', path: 'members', value: values([bo]) }));
    expect(await grants(bo)).toEqual(given);
    await provider.scim.patch(path, patchOf({ op: 'remove', path: 'members', value: values([ana]) }));
    expect(await grants(ana)).toEqual(own);
    await provider.scim.patch(path, patchOf({ op: 'replace', path: 'displayName', value: 'Nothing' }));
    expect(await grants(bo)).toEqual([]);
    await provider.scim.patch(path, patchOf({ op: 'replace', path: 'displayName', value: 'SALES' }));
    expect(await grants(bo)).toEqual(given);
    await provider.scim.delete(path);
    expect(await grants(bo)).toEqual([]);
  });

  it('are current for a user who joins during a change', async () => {
    const provider = await mapped();
    const [ana] = (await people(provider.tenant, 1)) as [string];
    const group = await groupOf(provider);
    await admin.query('begin');
    await admin.query(`update data.scim_configs set name = 'Other' where id = $1`, [provider.id]);
    await admin.query(`update data.scim_mappings set role_ids = $2, workspace_ids = '{}' where config_id = $1`, [
      provider.id,
      [viewer],
    ]);
    const add = patchOf({ op: 'add', path: 'members', value: values([ana]) });
    const joining = provider.scim.patch(`/Groups/${group.id}`, add);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => {
      await admin.query('select pg_stat_clear_snapshot()'); // a transaction otherwise keeps its first snapshot
      return (await admin.query(waiting)).rowCount! > 0;
    });
    await admin.query('commit');
    expect((await joining).status).toBe(204);
    expect(await grants(ana)).toEqual([`${viewer} scim`]);
  });

  it('are written only for the one member who joins a large group', async () => {
    const provider = await mapped();
    const ids = await people(provider.tenant, 1_201);
    const group = await groupOf(provider, ids.slice(0, 1_200));
    const rows = async () => {
      const found = await admin.query<{ row: string }>(
        `select user_id || ' ' || xmin as row from data.scim_group_members where group_id = $1
         union all select membership_id || ' ' || role_id || ' ' || xmin from data.role_assignments where tenant_id = $2
         union all select membership_id || ' ' || workspace_id || ' ' || xmin from data.workspace_members where tenant_id = $2
         union all select id || ' ' || version || ' ' || xmin from data.memberships where tenant_id = $2
         union all select id || ' user ' || xmin from data.scim_users where tenant_id = $2`,
        [group.id, provider.tenant.id],
      );
      return new Set(found.rows.map(({ row }) => row));
    };
    const before = await rows();
    const add = patchOf({ op: 'add', path: 'members', value: values(ids.slice(1_200)) });
    expect((await provider.scim.patch(`/Groups/${group.id}`, add)).status).toBe(204);
    const written = [...(await rows())].filter((row) => !before.has(row));
    expect(written.every((row) => row.startsWith(ids[1_200]!))).toBe(true);
    expect(await grants(ids[1_200]!)).toEqual([`${manager} scim`, 'workspace scim']);
  });
});

it('are recorded with groups, joins and leaves in the audit log and as events', async () => {
  const provider = await connect(platform);
  const [ana, bo] = (await people(provider.tenant, 2)) as [string, string];
  const group = await groupOf(provider, [ana]);
  const swap = patchOf({ op: 'replace', path: 'members', value: values([bo]) });
  await provider.scim.patch(`/Groups/${group.id}`, swap);
  await provider.scim.delete(`/Groups/${group.id}`);
  const { rows } = await admin.query<{ type: string; data: object }>(
    `select type, (envelope::jsonb) -> 'data' as data from data.events where tenant_id = $1 and type like 'scim.group.%' order by id`,
    [provider.tenant.id],
  );
  expect(rows).toMatchObject([
    { type: 'scim.group.created', data: { joined: [ana], left: [], version: 1 } },
    { type: 'scim.group.updated', data: { joined: [bo], left: [ana], version: 2 } },
    { type: 'scim.group.deleted', data: { version: 3 } },
  ]);
  const log = await provider.tenant.api.get<{ data: { action: string; actor: { type: string } }[] }>(
    `/api/admin/audit-logs?action=scim.group.*`,
  );
  expect(log.body.data.map(({ action, actor }) => `${actor.type} ${action}`)).toEqual([
    'scim scim.group.deleted',
    'scim scim.group.updated',
    'scim scim.group.created',
  ]);
});
