import pg from 'pg';
import { DataSource } from 'typeorm';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import type { Roles } from '#libs/database/roles.js';
import type { Statement } from '#libs/database/statement.js';
import { setMigrationContext } from '#libs/database/tenant-table.js';
import { firstSigningKey } from '#libs/proof/signing-keys.js';
import { migrateQueueSchema } from '#libs/queue/queue-schema.js';
import { deriveKey } from '#libs/sealing/cipher.js';
import { firstInstallationKey } from '#libs/sealing/installation-keys.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { masterKeyIdOf, type MasterKeys } from '#libs/sealing/master-keys.js';
import { applyFunctions } from './functions.js';
import { loadSchema } from './load-schema.js';
import { checkMasterKeys } from './master-key-check.js';
import { type Migration, MIGRATIONS } from './migrations.js';
import { passwordToSet } from './role-passwords.js';
import { installationRoles } from './urls.js';

/** Held while migrations run. */
export const MIGRATION_LOCK = 7_463_551;
const OLDEST_VERSION = 150_000;

/** The data source for migrations, with the role that owns all objects. Also exported by ormconfig.ts. */
export function migrationSource(adminUrl: string, roles: Roles, migrations = MIGRATIONS): DataSource {
  return new DataSource({
    type: 'postgres',
    url: adminUrl,
    schema: 'directory',
    migrations,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    poolSize: 1,
    extra: { options: `-c role=${roles.owner}`, connectionTimeoutMillis: 10_000 },
  });
}

/** Fills a new database at an earlier schema, before it is migrated to the newest one. */
export interface Filling {
  /** Receives the connection that holds the lock, before anything is changed. */
  prepare(client: pg.Client): Promise<void>;
  /** The migrations that have made the earlier schema. */
  first: Migration[];
  /** Receives a connection of its own. */
  fill(client: pg.Client): Promise<void>;
}

/**
 * Migrates a database to the newest schema: roles, schemas, migrations, functions, the first keys, queue schema. An empty
 * database loads `schema.sql` instead of running the migrations. Safe to repeat and to run from several processes at once.
 * @throws Error with one clear line when the server is too old or the role lacks privileges.
 */
export async function migrate(adminUrl: string, settings: Settings, filling?: Filling): Promise<void> {
  const roles = installationRoles(settings, adminUrl);
  await connected(adminUrl, async (client) => {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    const version = Number(rows[0]?.server_version_num);
    if (version < OLDEST_VERSION) throw new OperatorError('PostgreSQL 15 or newer is required.');
    await checkLetters(client);
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await filling?.prepare(client);
    const masterKeys = loadMasterKeys(settings);
    const legacyKey = await checkMasterKeys(client, masterKeys);
    await prepareRoles(client, roles, settings);
    setMigrationContext({ roles, masterKeyId: legacyKey ? masterKeyIdOf(legacyKey) : masterKeys.id });
    if (!filling || filling.first.length === MIGRATIONS.length) await loadSchema(client, roles);
    if (filling) {
      await runMigrations(adminUrl, roles, filling.first);
      await connected(adminUrl, (own) => filling.fill(own));
    }
    await runMigrations(adminUrl, roles, MIGRATIONS);
    await applyFunctions(client, roles);
    for (const { text, values } of firstKeys(masterKeys, legacyKey)) await client.query(text, values);
    await migrateQueueSchema(adminUrl, 'queue', roles.system);
  });
}

async function connected(adminUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // the running statement fails as well and reports it
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Runs those of the migrations that the database lacks. */
export async function runMigrations(adminUrl: string, roles: Roles, migrations = MIGRATIONS): Promise<void> {
  const source = await migrationSource(adminUrl, roles, migrations).initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}

/**
 * The keys of an installation, unless they exist. Earlier releases derived the key of fingerprints from the master key;
 * it is kept, so that existing fingerprints stay comparable.
 */
function firstKeys(masterKeys: MasterKeys, legacyKey: Buffer | null): Statement[] {
  const name = 'fingerprints of secrets';
  const fingerprintKey = legacyKey ? deriveKey(legacyKey, name) : undefined;
  return [firstSigningKey(masterKeys), firstInstallationKey(masterKeys, name, fingerprintKey)];
}

/** @throws OperatorError when the server lacks ICU or the database is not encoded in UTF-8. */
async function checkLetters(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ icu: boolean; encoding: string }>(
    `select exists (select from pg_collation where collname = 'und-x-icu') as icu,
       current_setting('server_encoding') as encoding`,
  );
  const { icu, encoding } = rows[0]!;
  if (!icu) throw new OperatorError('PostgreSQL must be built with ICU, which sorts and compares names.');
  if (encoding !== 'UTF8') throw new OperatorError(`The database must be encoded in UTF8, not ${encoding}.`);
}

/** Comment on login roles with a password; those of earlier releases have none. */
const PASSWORD_SET = 'login role of the platform; migrate has set its password';
const FIND_ROLES = `select rolname as name, shobj_description(oid, 'pg_authid') is not distinct from $2 as "isKnown"
  from pg_roles where rolname = any($1)`;

async function prepareRoles(client: pg.Client, roles: Roles, settings: Settings): Promise<void> {
  const { rows } = await client.query<{ name: string; isKnown: boolean }>(FIND_ROLES, [
    Object.values(roles),
    PASSWORD_SET,
  ]);
  const present = new Map(rows.map((row) => [row.name, row.isKnown]));
  for (const role of Object.values(roles) as string[]) {
    if (!present.has(role))
      await client.query(`create role ${role} nologin nosuperuser nocreatedb nocreaterole noinherit`);
  }
  for (const kind of ['app', 'system'] as const) {
    const role = roles[kind];
    const password = passwordToSet(settings, { kind, name: role, isKnown: present.get(role) ?? false });
    await client.query(`alter role ${role} login`);
    if (password !== null) {
      await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
      await client.query(`comment on role ${role} is '${PASSWORD_SET}'`);
    }
    for (const [name, value] of Object.entries(SESSION))
      await client.query(`alter role ${role} set ${name} to ${value}`);
  }
  // The worker runs the same few statements with lists of any length. Replanning for a short list costs more than
  // running the statement.
  await client.query(`alter role ${roles.system} set plan_cache_mode to force_generic_plan`);
  const database = client.escapeIdentifier(client.database ?? '');
  await client.query(`grant ${roles.owner}, ${roles.lookup}, ${roles.system} to current_user`);
  // Both own functions, which the owner of the tables creates.
  await client.query(`grant ${roles.lookup}, ${roles.system} to ${roles.owner}`);
  await client.query(`grant create, connect on database ${database} to ${roles.owner}`);
  await client.query(`grant connect on database ${database} to ${roles.app}, ${roles.system}`);
  await client.query(`revoke create on schema public from public`);
  for (const schema of ['directory', 'data'])
    await client.query(`create schema if not exists ${schema} authorization ${roles.owner}`);
}

/** Session settings of API and worker. */
const SESSION = {
  timezone: `'UTC'`,
  datestyle: `'ISO'`,
  statement_timeout: `'15s'`,
  lock_timeout: `'3s'`,
  idle_in_transaction_session_timeout: `'10s'`,
  // Before PostgreSQL 18, disabled plan nodes (`planning.ts`) count as cost, so JIT would compile for seconds what runs
  // for a millisecond.
  jit: 'off',
};
