import pg from 'pg';
import { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { Transaction } from '#libs/database/transaction.js';
import { jest } from '@jest/globals';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { type Cost, costOf } from '../../harness/statement-cost.js';
import { URN } from '#libs/scim-language/urn.js';
import { connect, type ScimClient } from '../scim/scene.js';
import { makeRole, makeWorkspace, MEMBER, MEMBERSHIPS, ROLES, WORKSPACES } from './people-calls.js';

/**
 * Requests of administrators about people cost the same in a large tenant as in a small one, measured in database pages
 * touched. Benchmarks measure their speed.
 */
const MANY = 20_000;
const FEW = 100;
/** Allowed additional pages for all statements of a request, for deeper indexes. */
const MORE = 100;

interface Sized extends TestTenant {
  roleId: string;
  workspaceId: string;
  configId: string;
  /** A group that contains everybody and grants the role. */
  groupId: string;
  scim: ScimClient;
}

let platform: TestPlatform;
let app: pg.Client;
let large: Sized;
let small: Sized;
/** A tenant analyzed with one member and then filled by an identity provider. */
let grown: Sized;
const seen: Statement[] = [];
let changes = 0;

beforeAll(async () => {
  platform = await startPlatform();
  [large, small, grown] = [await sized(), await sized(), await sized()];
  const admin = new pg.Client({ connectionString: platform.database.adminUrl });
  await admin.connect();
  await admin.query('begin');
  await admin.query('set local session_replication_role = replica'); // triggers per row would take minutes
  await fill(admin, large, 1, MANY);
  await fill(admin, small, 1, FEW);
  await fill(admin, grown, 1, 1);
  for (const text of CROWD) await admin.query(text);
  await admin.query('commit');
  await admin.query('vacuum analyze');
  for (const table of TABLES) await admin.query(`alter table data.${table} set (autovacuum_enabled = false)`);
  await admin.query('set session_replication_role = replica');
  await fill(admin, grown, 2, MANY / 4);
  await admin.end();
  app = new pg.Client({ connectionString: platform.database.appUrl });
  await app.connect();
  const database = platform.app.get(Database);
  const { read } = database;
  jest.spyOn(database, 'read').mockImplementation((query) => (seen.push(query), read.call(database, query)));
  const { queryAll } = Transaction.prototype;
  jest.spyOn(Transaction.prototype, 'queryAll').mockImplementation(function (this: Transaction, queries) {
    seen.push(...queries);
    return queryAll.call(this, queries);
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await app.end();
  await platform.close();
});

const ID = `('019a0000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid`;
/** The second member, which no provider manages. */
const SECOND = '019a0000-0000-7000-8000-000000000002';
const PLACES = `(select $1::uuid as tenant, $4::uuid as role, $5::uuid as place, $6::uuid as config, $7::uuid as team) p,
  generate_series($2::int, $3::int) i`;
const TABLES = [
  'memberships',
  'role_assignments',
  'workspace_members',
  'scim_users',
  'scim_group_members',
  'member_counts',
];
/**
 * Members with one role and one workspace from two sources, half of them managed, with the counts that triggers would
 * maintain.
 */
const FILL = [
  `insert into data.memberships (tenant_id, id, email, name, status, source, joined_at, created_at)
   select tenant, ${ID}, 'u' || i || '@acme.example', 'user ' || i, 'active', 'scim', now(), now() - i * interval '1 second'
   from ${PLACES}`,
  ...[`'manual'`, `'scim:' || config || ':' || team`].flatMap((source) => [
    `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
     select tenant, ${ID}, role, ${source}, now() from ${PLACES}`,
    `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, source, added_at, added_by)
     select tenant, place, ${ID}, 'member', ${source}, now(), '{"type": "system", "id": null, "name": "t"}' from ${PLACES}`,
  ]),
  `insert into data.scim_users (tenant_id, id, config_id, seq, user_name_key, active, data, keys, created_at, updated_at)
   select tenant, ${ID}, case when i % 2 = 1 then config end, i, 'u' || i, true,
     jsonb_build_object('userName', 'u' || i), '{}', now(), now() from ${PLACES}`,
  `insert into data.scim_blocks (tenant_id, resource, block, live)
   select tenant, 'user', i / 512, count(*) from ${PLACES} group by 1, 3
   on conflict (tenant_id, resource, block) do update set live = scim_blocks.live + excluded.live`,
  `insert into data.scim_group_members (tenant_id, group_id, user_id) select tenant, team, ${ID} from ${PLACES}`,
  ...[
    ['seat', 'tenant'],
    ['role', 'role'],
    ['workspace', 'place'],
    ['scim_user', 'config'],
  ].map(
    ([kind, subject]) => `insert into data.member_counts (tenant_id, kind, subject_id, slot, members)
   select tenant, '${kind}', ${subject}, gen_random_uuid(), count(*) from ${PLACES} group by 1, 3`,
  ),
];

/** Many tenants with one member each. */
const CROWD = [
  `insert into data.memberships (tenant_id, id, email, name, status, created_at)
   select gen_random_uuid(), gen_random_uuid(), 'a@acme.example', 'a', 'active', now() from generate_series(1, 15000)`,
  `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
   select tenant_id, id, '${MEMBER}', now() from data.memberships where email = 'a@acme.example'`,
  `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
   select tenant_id, gen_random_uuid(), id, 'member', now(), '{"type": "system", "id": null, "name": "t"}'
   from data.memberships where email = 'a@acme.example'`,
];

async function sized(): Promise<Sized> {
  const tenant = await platform.tenant({ plan: 'business' });
  const roleId = await makeRole(tenant, 'Seller', ['deals:read']);
  const groupRoleMap = [{ group: 'Sellers', roleIds: [roleId], workspaceIds: [] }];
  const { id: configId, scim } = await connect(platform, { groupRoleMap }, tenant);
  const { body } = await scim.post<{ id: string }>('/Groups', { schemas: [URN.group], displayName: 'Sellers' });
  const workspaceId = await makeWorkspace(tenant.api, 'EMEA');
  return { ...tenant, roleId, workspaceId, configId, groupId: body.id, scim };
}

async function fill(admin: pg.Client, tenant: Sized, first: number, last: number): Promise<void> {
  const { id, roleId, workspaceId, configId, groupId } = tenant;
  for (const text of FILL) await admin.query(text, [id, first, last, roleId, workspaceId, configId, groupId]);
}

/** Removes a member from the group and adds them again. */
async function outAndIn({ scim, groupId }: Sized): Promise<{ status: number }> {
  const schemas = [URN.patchOp];
  const out = { op: 'remove', path: `members[value eq "${SECOND}"]` };
  await scim.patch(`/Groups/${groupId}`, { schemas, Operations: [out] });
  const join = { op: 'add', path: 'members', value: [{ value: SECOND }] };
  return scim.patch(`/Groups/${groupId}`, { schemas, Operations: [join] });
}

/** Cost of the most expensive statement of a request. */
async function costFor(tenant: Sized, request: (tenant: Sized) => Promise<{ status: number }>): Promise<Cost> {
  seen.length = 0;
  expect((await request(tenant)).status).toBeLessThan(300);
  const most = { pages: 0, rows: 0 };
  for (const each of seen.slice()) {
    const { pages, rows } = await costOf(app, tenant.id, each);
    most.pages = Math.max(most.pages, pages);
    most.rows = Math.max(most.rows, rows);
  }
  return most;
}

const get = (path: (tenant: Sized) => string) => (tenant: Sized) => tenant.api.get(path(tenant));

it.each<[string, (tenant: Sized) => Promise<{ status: number }>]>([
  ['the members, with their seats', get(() => `${MEMBERSHIPS}?limit=20`)],
  ['the members by name', get(() => `${MEMBERSHIPS}?limit=20&sort=name`)],
  ['one member', get(() => `${MEMBERSHIPS}/${SECOND}`)],
  ['the roles, with their members', get(() => ROLES)],
  ['one role', get(({ roleId }) => `${ROLES}/${roleId}`)],
  ['the workspaces, with their members', get(() => WORKSPACES)],
  ['one workspace', get(({ workspaceId }) => `${WORKSPACES}/${workspaceId}`)],
  ['the members of a workspace', get(({ workspaceId }) => `${WORKSPACES}/${workspaceId}/members?limit=20`)],
  ['connections, with their users', get(() => '/api/admin/scim')],
  [
    'an invitation, which checks the seats',
    ({ api }) => api.post('/api/admin/invitations', { email: 'new@acme.example' }),
  ],
  ['a title', ({ api }) => api.patch(`${MEMBERSHIPS}/${SECOND}`, { title: `T ${++changes}` })],
  ['one member into a group', outAndIn],
  ['a page of users, with their groups', ({ scim }) => scim.get('/Users?count=50&startIndex=26')],
])('%s', async (_, request) => {
  const few = await costFor(small, request);
  for (const tenant of [large, grown]) {
    const { pages, rows } = await costFor(tenant, request);
    expect(pages).toBeLessThan(2 * few.pages + MORE);
    expect(rows).toBeLessThan(2 * few.rows + MORE);
  }
});
