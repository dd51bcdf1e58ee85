import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readSettings, type Settings } from '#libs/config/settings.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { migrate } from '#src/database/migrate.js';

const TEMPLATE = 'platform_template';
const ROLE_PREFIX = 'platform_test';
const LOCK = 918_273;
const MASTER_KEY = Buffer.alloc(32, 7);
/** Fixed, because all databases share the roles. */
const ROLE_PASSWORD = 'test';

/** A separate migrated database on the PostgreSQL of the test run. */
export interface TestDatabase {
  adminUrl: string;
  appUrl: string;
  systemUrl: string;
  masterKeys: MasterKeys;
  settings: Settings;
  drop(): Promise<void>;
}

/** Clones the migrated template; the first caller of a run creates it. `env` adds or overrides settings. */
export async function createTestDatabase(env: Record<string, string> = {}): Promise<TestDatabase> {
  const server = process.env['TEST_ADMIN_URL'];
  if (!server) throw new Error('Run the tests with npm test, which starts their PostgreSQL.');
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const adminUrl = databaseUrl(server, name);
  const appUrl = asRole(adminUrl, `${ROLE_PREFIX}_app`);
  const systemUrl = asRole(adminUrl, `${ROLE_PREFIX}_system`);
  const settings = readSettings({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    PORT: '0',
    DATA_DIR: join(tmpdir(), name),
    DATABASE_URL: adminUrl,
    DATABASE_APP_URL: appUrl,
    DATABASE_SYSTEM_URL: systemUrl,
    DATABASE_ROLE_PREFIX: ROLE_PREFIX,
    MASTER_KEY: MASTER_KEY.toString('base64'),
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,::1/128',
    ...env,
  });
  await withServer(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE]);
    if (!rowCount) await makeTemplate(client, server, settings);
    await client.query(`create database ${name} template ${TEMPLATE} strategy file_copy`);
  });
  return {
    adminUrl,
    appUrl,
    systemUrl,
    masterKeys: new MasterKeys(MASTER_KEY),
    settings,
    drop: async () => {
      await withServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
      await rm(settings.DATA_DIR, { recursive: true, force: true });
    },
  };
}

async function makeTemplate(client: pg.Client, server: string, settings: Settings): Promise<void> {
  const draft = `${TEMPLATE}_draft`;
  await client.query(`drop database if exists ${draft} with (force)`);
  await client.query(`create database ${draft}`);
  await migrate(databaseUrl(server, draft), settings);
  await client.query(`alter database ${draft} rename to ${TEMPLATE}`);
}

async function withServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * A pool without tenant isolation. Errors of connections that are closing while their database is dropped are ignored.
 */
export function adminPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

function asRole(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.username = name;
  url.password = ROLE_PASSWORD;
  return url.href;
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one query as the superuser, without tenant isolation, to inspect the tables. */
export async function asAdmin<R extends pg.QueryResultRow>(
  database: TestDatabase,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return withServer(database.adminUrl, async (client) => (await client.query<R>(text, values)).rows);
}
