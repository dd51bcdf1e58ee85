import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { compileFilter } from '#libs/scim-language/filter-sql.js';
import { fold } from '#libs/kernel/fold.js';
import { parseFilter } from '#libs/scim-language/parse-filter.js';
import { foldedDocument, readResource } from '#libs/scim-language/resource.js';
import { USERS } from '#libs/scim-language/resource-schema.js';
import { compileSort } from '#libs/scim-language/sort.js';
import { USER_TABLE } from '#src/areas/scim/users/user-table.js';
import { createTestDatabase, type TestDatabase } from '../../harness/database.js';
import { means, model, type Person, person, written } from './filter-model.js';

/** The SQL of filters, compared with the reference evaluation on random users in PostgreSQL. */
const PEOPLE = 150;
const tenant = randomUUID();
let database: TestDatabase;
let client: pg.Client;
let people: (Person & { id: string })[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query('begin');
  // Filters do not read tenants, configurations or members.
  await client.query('set local session_replication_role = replica');
  people = await fill();
  await client.query('commit');
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function fill() {
  const groups = ['a', 'ÄB'].map((display) => ({ value: randomUUID(), display }));
  for (const [i, { value, display }] of groups.entries())
    await client.query(
      `insert into data.scim_groups (tenant_id, id, config_id, seq, display_name, display_name_key, data, keys, created_at,
        updated_at) values ($1, $2, $2, $3, $4, $5, '{}', '{}', now(), now())`,
      [tenant, value, i, display, fold(display)],
    );
  const times = ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.001Z', '2026-11-21T09:15:02.500Z'];
  const drawn = fc.sample(person(), { numRuns: PEOPLE, seed: 9865 });
  const made = drawn.map((each, i) => ({
    ...each,
    id: randomUUID(),
    userName: `${i % 3 === 0 ? 'A' : 'a'}${i}`,
    groups: groups.filter((_, place) => (i >> place) % 2 === 1),
    meta: { created: times[i % 3]!, lastModified: times[i % 2]! },
  }));
  for (const [seq, each] of made.entries()) await insert(seq, each);
  return made;
}

async function insert(
  seq: number,
  shown: Person & { id: string; groups: { value: string }[]; meta: { created: string; lastModified: string } },
) {
  const { resource } = readResource(USERS, shown);
  const keys = foldedDocument(USERS, resource);
  await client.query(
    `insert into data.scim_users (tenant_id, id, seq, user_name_key, external_id, display_name_key, active, data, keys,
      created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      tenant,
      shown.id,
      seq,
      keys['userName'],
      keys['externalId'],
      keys['displayName'],
      shown['active'],
      resource,
      keys,
      shown.meta.created,
      shown.meta.lastModified,
    ],
  );
  for (const value of new Set(((keys['emails'] ?? []) as { value: string }[]).map((email) => email.value)))
    await client.query(`insert into data.scim_user_emails values ($1, $2, $3)`, [tenant, shown.id, value]);
  for (const group of shown.groups)
    await client.query(`insert into data.scim_group_members values ($1, $2, $3)`, [tenant, group.value, shown.id]);
}

async function found(filter: string): Promise<string[]> {
  const values: unknown[] = [tenant];
  const condition = compileFilter(parseFilter(USERS, filter), USER_TABLE, values);
  const { rows } = await client.query<{ id: string }>(
    `select u.id from data.scim_users u where u.tenant_id = $1 and ${condition} order by u.seq`,
    values,
  );
  return rows.map(({ id }) => id);
}

it('finds exactly the users that the RFC defines', async () => {
  const ids = people
    .slice(0, 3)
    .flatMap(({ id, groups }) => [id, ...(groups as { value: string }[]).map(({ value }) => value)]);
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(model(ids), fc.boolean(), async (filter, odd) => {
      const meant = people.filter((each) => means(filter, each)).map(({ id }) => id);
      if (meant.length > 0 && meant.length < PEOPLE) hits++;
      expect(await found(written(filter, odd))).toEqual(meant);
    }),
    { numRuns: 2_000 },
  );
  expect(hits).toBeGreaterThan(500); // most filters match only some of the users
});

it('sorts by any attribute, with missing values where the RFC places them', async () => {
  const key = (each: Person, read: (each: Person) => unknown) => {
    const value = read(each);
    return typeof value === 'string' ? Buffer.from(fold(value)) : null;
  };
  const first = (list: unknown) => {
    const elements = (list ?? []) as { value?: string; primary?: boolean }[];
    return (elements.find(({ primary }) => primary) ?? elements[0])?.value;
  };
  const attributes: [string, (each: Person) => unknown][] = [
    ['userName', (each) => each['userName']],
    ['title', (each) => each['title']],
    ['NAME.familyName', (each) => (each['name'] as Person | undefined)?.['familyName']],
    ['emails', (each) => first(each['emails'])],
  ];
  for (const [sortBy, read] of attributes)
    for (const sortOrder of ['ascending', 'Descending']) {
      const order = compileSort(USERS, USER_TABLE, sortBy, sortOrder);
      const { rows } = await client.query<{ id: string }>(
        `select u.id from data.scim_users u where u.tenant_id = $1 order by ${order}, u.seq`,
        [tenant],
      );
      const sign = sortOrder === 'ascending' ? 1 : -1;
      const expected = people.toSorted((a, b) => {
        const [left, right] = [key(a, read), key(b, read)];
        if (!left || !right) return left ? -sign : right ? sign : 0;
        return sign * Buffer.compare(left, right);
      });
      expect({ sortBy, sortOrder, ids: rows.map(({ id }) => id) }).toEqual({
        sortBy,
        sortOrder,
        ids: expected.map(({ id }) => id),
      });
    }
});
