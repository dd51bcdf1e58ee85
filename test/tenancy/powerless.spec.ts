import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import { Database } from '#libs/database/database.js';
import { dataSource } from '#libs/database/data-source.js';
import { assertPowerless } from '#libs/database/powerless.js';
import { rolesOf } from '#libs/database/roles.js';
import { createApi } from '#src/api/app.js';
import { ENTITIES } from '#src/areas/entities.js';
import { createWorker } from '#src/worker/app.js';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';

/** A process refuses to run with a role that bypasses row-level security. */
let database: TestDatabase;
let admin: pg.Client;
const made: string[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  for (const role of made) await admin.query(`drop owned by ${role}; drop role ${role}`);
  await admin.end();
  await database.drop();
});

async function check(url: string): Promise<void> {
  const source = await dataSource({ url, entities: [], poolSize: 1, applicationName: 'powerless' }).initialize();
  try {
    await assertPowerless(new Database(source));
  } finally {
    await source.destroy();
  }
}

/** URL for a new login role. */
async function roleWith(options: string): Promise<{ url: string; role: string }> {
  const role = `powerful_${randomBytes(4).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  await admin.query(`create role ${role} login password '${password}' ${options}`);
  made.push(role);
  const url = new URL(database.adminUrl);
  url.username = role;
  url.password = password;
  return { url: url.href, role };
}

it('accepts the roles of API and worker', async () => {
  await check(database.appUrl);
  await check(database.systemUrl);
  await check((await roleWith('')).url);
});

it('refuses a superuser', async () => {
  await expect(check(database.adminUrl)).rejects.toThrow(/could bypass tenant isolation \(superuser\)/);
});

it('refuses a role that bypasses row-level security', async () => {
  const { url } = await roleWith('bypassrls');
  await expect(check(url)).rejects.toThrow(/could bypass tenant isolation \(BYPASSRLS\)/);
});

it('refuses the owner of a table and roles that can become it', async () => {
  const { owner } = rolesOf(database.settings.DATABASE_ROLE_PREFIX!);
  const member = await roleWith(`noinherit in role ${owner}`);
  await expect(check(member.url)).rejects.toThrow(/could bypass tenant isolation \(owner of tables\)/);
  const itself = await roleWith('');
  await admin.query(`alter table data.sales_deals owner to ${itself.role}`);
  await expect(check(itself.url)).rejects.toThrow(/could bypass tenant isolation \(owner of tables\)/);
  await admin.query(`alter table data.sales_deals owner to ${owner}`);
});

it.each([
  ['API', createApi],
  ['worker', createWorker],
])('the %s leaves the line about what ends its start to whoever started it', async (name, create) => {
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const { settings, masterKeys } = database;
  const databaseUrl = `${database.appUrl}_missing`;
  await expect(create({ settings, masterKeys, databaseUrl, name, entities: ENTITIES }, logger)).rejects.toThrow(
    /does not exist/,
  );
  expect(lines).toEqual([]);
});
