import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Database } from '#libs/database/database.js';
import type { Statement } from '#libs/database/statement.js';
import { compileFilter } from '#libs/scim-language/filter-sql.js';
import { parseFilter } from '#libs/scim-language/parse-filter.js';
import { GROUPS, USERS } from '#libs/scim-language/resource-schema.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { GROUP_TABLE } from '#src/areas/scim/groups/group-table.js';
import { after, anywhere, selection } from '#src/areas/scim/list/page-statements.js';
import { UsersRepository } from '#src/areas/scim/users/users.repository.js';
import { USER_TABLE } from '#src/areas/scim/users/user-table.js';
import { createTestDatabase, type TestDatabase } from '../../harness/database.js';
import { costOf } from '../../harness/statement-cost.js';

/**
 * Requests of providers cost the same in a large tenant as in a small one: pages of the database that a query touches,
 * with the role of the API under row-level security.
 */
const MANY = 20_000;
const FEW = 100;
/** Pages that a lookup may touch: some levels of an index, and the rows found. */
const MAX_PAGES = 60;
const users = { schema: USERS, table: USER_TABLE, from: 'data.scim_users u', alias: 'u' };
const groups = { schema: GROUPS, table: GROUP_TABLE, from: 'data.scim_groups g', alias: 'g' };
const [large, small] = [randomUUID(), randomUUID()];
/** Statistics collected with one user, before a first synchronisation filled the tables. */
const grown = randomUUID();
let database: TestDatabase;
let app: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  await admin.query('begin');
  await admin.query('set local session_replication_role = replica'); // with triggers this takes minutes
  for (const [tenant, count] of [
    [large, MANY],
    [small, FEW],
    [grown, 1],
  ] as const)
    for (const text of FILL) await admin.query(text, [tenant, 1, count]);
  await admin.query(CROWD);
  await admin.query('commit');
  await admin.query('vacuum analyze');
  // Autovacuum may process these tables before or after the first lookup.
  for (const table of TABLES) await admin.query(`alter table data.${table} set (autovacuum_enabled = false)`);
  await admin.query('set session_replication_role = replica');
  for (const text of FILL) await admin.query(text, [grown, 2, MANY / 4]);
  await admin.end();
  app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
});
afterAll(async () => {
  await app.end();
  await database.drop();
});

const ID = `md5($1::uuid::text || i)::uuid`;
const PLACES = `generate_series($2::int, $3::int) i`;
const TABLES = ['scim_users', 'scim_user_emails', 'scim_groups', 'scim_group_members'];
/** Users, half of them in the measured group, and their counts; the same for groups. */
const FILL = [
  `insert into data.scim_users (tenant_id, id, seq, user_name_key, external_id, display_name_key, active, data, keys,
     created_at, updated_at)
   select $1::uuid, ${ID}, i, 'u' || i, 'x' || i, 'user ' || i, true, '{}', jsonb_build_object('emails',
     jsonb_build_array(jsonb_build_object('type', 'work', 'value', 'u' || i || '@acme.example'))), now(), now() from ${PLACES}`,
  `insert into data.scim_user_emails (tenant_id, user_id, value_key)
   select $1::uuid, ${ID}, 'u' || i || '@acme.example' from ${PLACES}`,
  `insert into data.scim_groups (tenant_id, id, config_id, seq, display_name, display_name_key, data, keys, created_at,
     updated_at) select $1::uuid, ${ID}, $1::uuid, i, 'g' || i, 'g' || i, '{}', '{}', now(), now() from ${PLACES} where i % 2 = 1`,
  `insert into data.scim_group_members (tenant_id, group_id, user_id)
   select $1::uuid, md5($1::uuid::text || '1')::uuid, ${ID} from ${PLACES} where i % 2 = 0`,
  `insert into data.scim_blocks (tenant_id, resource, block, live)
   select $1::uuid, 'user', i / 512, count(*) from ${PLACES} group by 3
   on conflict (tenant_id, resource, block) do update set live = scim_blocks.live + excluded.live`,
];

/** Tenants with one user each, as in a typical installation. */
const CROWD = `
  insert into data.scim_users (tenant_id, id, seq, user_name_key, active, data, keys, created_at, updated_at)
  select gen_random_uuid(), gen_random_uuid(), 1, 'u', true, '{}', '{}', now(), now() from generate_series(1, 15000)`;

/** Number of pages that a statement touches for a tenant. */
async function pagesFor(tenant: string, make: () => Statement): Promise<number> {
  const facts = { id: tenant, slug: 'costs', plan: 'enterprise', currency: 'EUR', epoch: '1' };
  const { pages } = await costOf(app, tenant, runAsSystem(facts, 'costs', 'costs', make));
  return pages;
}

const idOf = (tenant: string, place: number) =>
  app
    .query<{ id: string }>(`select md5($1::uuid::text || $2::int)::uuid as id`, [tenant, place])
    .then(({ rows }) => rows[0]!.id);

function listOf(place: typeof users | typeof groups, tenant: string, filter: string): () => Statement {
  const values: unknown[] = [tenant];
  const sql = compileFilter(parseFilter(place.schema, filter), place.table, values);
  return () => selection(place, { filter: { sql, values }, order: null, offset: 0, limit: 100 });
}

it.each<[string, typeof users | typeof groups, (id: string, group: string) => string]>([
  ['userName', users, () => 'userName eq "U50"'],
  ['externalId', users, () => 'externalId eq "x50"'],
  ['displayName', users, () => 'displayName eq "user 50"'],
  ['emails.value', users, () => 'emails.value eq "U50@acme.example"'],
  ['emails', users, () => 'emails eq "u50@acme.example"'],
  ['emails[type eq "work"].value', users, () => 'emails[type eq "work"].value eq "u50@acme.example"'],
  ['a value path', users, () => 'emails[type eq "work" and value eq "u50@acme.example"]'],
  ['id', users, (id) => `id eq "${id}"`],
  ['id and another condition', users, (id) => `id eq "${id}" and not (userName eq "x")`],
  ['the name of a group', groups, () => 'displayName eq "G41"'],
  ['a member of one group', groups, (id, group) => `id eq "${group}" and members eq "${id}"`],
  ['the groups of a member', groups, (id) => `members[value eq "${id}"]`],
])('a lookup by %s', async (_, place, filterFor) => {
  for (const tenant of [large, small, grown]) {
    const filter = filterFor(await idOf(tenant, 50), await idOf(tenant, 1));
    expect(await pagesFor(tenant, listOf(place, tenant, filter))).toBeLessThan(MAX_PAGES);
  }
});

it('reading users by their ids', async () => {
  for (const tenant of [large, small, grown]) {
    const id = await idOf(tenant, 50);
    const statements: Statement[] = [];
    const facts = { id: tenant, slug: 'costs', plan: 'enterprise', currency: 'EUR', epoch: '1' };
    const seen = { read: (each: Statement) => (statements.push(each), []) } as unknown as Database; // the only method called
    await runAsSystem(facts, 'costs', 'costs', () => new UsersRepository(seen).find([id]));
    expect(await pagesFor(tenant, () => statements[0]!)).toBeLessThan(MAX_PAGES);
  }
});

it.each([0, 0.5, 0.995])('a page at %d of the list', async (place) => {
  for (const page of [anywhere, after]) {
    const at = (count: number) => () => page(users, Math.floor(count * place), 50);
    expect(await pagesFor(large, at(MANY))).toBeLessThan((await pagesFor(small, at(FEW))) + 150);
  }
});
