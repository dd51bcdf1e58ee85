import { createHmac } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { loadMasterKey } from '#libs/config/master-key.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { rolePassword, type Roles } from '#libs/database/roles.js';
import { setMigrationContext } from '#libs/database/tenant-table.js';
import { migrateQueueSchema } from '#libs/queue/queue-schema.js';
import { Directory1763700000001 } from './migrations/1763700000001-directory.js';
import { Records1763700000002 } from './migrations/1763700000002-records.js';
import { Webhooks1763700000003 } from './migrations/1763700000003-webhooks.js';
import { Sales1763700000004 } from './migrations/1763700000004-sales.js';
import { Envelope1763700000005 } from './migrations/1763700000005-envelope.js';
import { Accounts1763700000006 } from './migrations/1763700000006-accounts.js';
import { Work1763700000007 } from './migrations/1763700000007-work.js';
import { Finance1763700000008 } from './migrations/1763700000008-finance.js';
import { Payments1763700000009 } from './migrations/1763700000009-payments.js';
import { People1763700000010 } from './migrations/1763700000010-people.js';
import { Talent1763700000011 } from './migrations/1763700000011-talent.js';
import { Governance1763700000012 } from './migrations/1763700000012-governance.js';
import { Timeline1763700000013 } from './migrations/1763700000013-timeline.js';
import { Automation1763700000014 } from './migrations/1763700000014-automation.js';
import { Accounting1763700000015 } from './migrations/1763700000015-accounting.js';
import { Intelligence1763700000016 } from './migrations/1763700000016-intelligence.js';
import { Delivery1763700000017 } from './migrations/1763700000017-delivery.js';
import { DeliverySpeed1763700000018 } from './migrations/1763700000018-delivery-speed.js';
import { WebhookGaps1763700000019 } from './migrations/1763700000019-webhook-gaps.js';
import { Access1763700000020 } from './migrations/1763700000020-access.js';
import { Scim1763700000021 } from './migrations/1763700000021-scim.js';
import { Identity1763700000022 } from './migrations/1763700000022-identity.js';
import { Members1763700000023 } from './migrations/1763700000023-members.js';
import { Secrets1763700000024 } from './migrations/1763700000024-secrets.js';
import { AiPolicy1763700000025 } from './migrations/1763700000025-ai-policy.js';
import { AiJobs1763700000026 } from './migrations/1763700000026-ai-jobs.js';
import { AiMoney1763700000027 } from './migrations/1763700000027-ai-money.js';
import { Claims1763700000028 } from './migrations/1763700000028-claims.js';
import { Transfers1763700000029 } from './migrations/1763700000029-transfers.js';
import { ScimEstimates1763700000030 } from './migrations/1763700000030-scim-estimates.js';
import { MemberCounts1763700000031 } from './migrations/1763700000031-member-counts.js';
import { QueueLookups1763700000032 } from './migrations/1763700000032-queue-lookups.js';
import { DirectEntries1763700000033 } from './migrations/1763700000033-direct-entries.js';
import { RoomForResults1763700000034 } from './migrations/1763700000034-room-for-results.js';
import { ImmutableEvents1763700000035 } from './migrations/1763700000035-immutable-events.js';
import { Sending1763700000036 } from './migrations/1763700000036-sending.js';
import { SetAsideEvents1763700000037 } from './migrations/1763700000037-set-aside-events.js';
import { UsageOfSessions1763700000040 } from './migrations/1763700000040-usage-of-sessions.js';
import { AnswerTerms1763700000041 } from './migrations/1763700000041-answer-terms.js';
import { Denials1763700000042 } from './migrations/1763700000042-denials.js';
import { PaymentTerms1763700000046 } from './migrations/1763700000046-payment-terms.js';
import { BaseCurrency1763700000047 } from './migrations/1763700000047-base-currency.js';
import { Words1763700000048 } from './migrations/1763700000048-words.js';
import { Trash1763700000049 } from './migrations/1763700000049-trash.js';
import { Erasure1763700000050 } from './migrations/1763700000050-erasure.js';
import { LoggedMails1763700000054 } from './migrations/1763700000054-logged-mails.js';
import { ClosedInvitations1763700000056 } from './migrations/1763700000056-closed-invitations.js';
import { installationRoles } from './urls.js';

/** In the order in which they run; a new one goes last. */
export const MIGRATIONS = [
  Directory1763700000001,
  Records1763700000002,
  Webhooks1763700000003,
  Sales1763700000004,
  Envelope1763700000005,
  Accounts1763700000006,
  Work1763700000007,
  Finance1763700000008,
  Payments1763700000009,
  People1763700000010,
  Talent1763700000011,
  Governance1763700000012,
  Timeline1763700000013,
  Automation1763700000014,
  Accounting1763700000015,
  Intelligence1763700000016,
  Delivery1763700000017,
  DeliverySpeed1763700000018,
  WebhookGaps1763700000019,
  Access1763700000020,
  Scim1763700000021,
  Identity1763700000022,
  Members1763700000023,
  Secrets1763700000024,
  AiPolicy1763700000025,
  AiJobs1763700000026,
  AiMoney1763700000027,
  Claims1763700000028,
  Transfers1763700000029,
  ScimEstimates1763700000030,
  MemberCounts1763700000031,
  QueueLookups1763700000032,
  DirectEntries1763700000033,
  RoomForResults1763700000034,
  ImmutableEvents1763700000035,
  Sending1763700000036,
  SetAsideEvents1763700000037,
  UsageOfSessions1763700000040,
  AnswerTerms1763700000041,
  Denials1763700000042,
  PaymentTerms1763700000046,
  BaseCurrency1763700000047,
  Words1763700000048,
  Trash1763700000049,
  Erasure1763700000050,
  LoggedMails1763700000054,
  ClosedInvitations1763700000056,
];

const LOCK = 7_463_551;
const OLDEST_VERSION = 150_000;

/** The data source that migrations run on, as the role that owns everything. Also what ormconfig.ts exports. */
export function migrationSource(adminUrl: string, roles: Roles): DataSource {
  return new DataSource({
    type: 'postgres',
    url: adminUrl,
    schema: 'directory',
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    poolSize: 1,
    extra: { options: `-c role=${roles.owner}`, connectionTimeoutMillis: 10_000 },
  });
}

/**
 * Brings a database to the newest schema: roles, schemas, migrations, the schema of the queues. Safe to run again and
 * from several processes at once.
 * @throws Error with one clear line when the server is too old or the role may not do it.
 */
export async function migrate(adminUrl: string, settings: Settings): Promise<void> {
  const roles = installationRoles(settings, adminUrl);
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // the statement under way fails with it, which is reported
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    const version = Number(rows[0]?.server_version_num);
    if (version < OLDEST_VERSION) throw new OperatorError('PostgreSQL 15 or newer is needed.');
    await checkLetters(client);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const masterKey = loadMasterKey(settings);
    await checkMasterKey(client, masterKey);
    await prepareRoles(client, roles, masterKey);
    setMigrationContext({ roles });
    const source = await migrationSource(adminUrl, roles).initialize();
    try {
      await source.runMigrations();
    } finally {
      await source.destroy();
    }
    await client.query(RECORD_KEY, [keyCheck(masterKey)]);
    await migrateQueueSchema(adminUrl, 'queue', roles.system);
  } finally {
    await client.end();
  }
}

const RECORD_KEY = `insert into directory.installation (key_check) values ($1) on conflict do nothing`;

function keyCheck(masterKey: Buffer): Buffer {
  return createHmac('sha256', masterKey).update('installation').digest();
}

/** @throws OperatorError when the database was set up with another master key: its sealed data could not be opened. */
async function checkMasterKey(client: pg.Client, masterKey: Buffer): Promise<void> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('directory.installation') is not null as present`,
  );
  if (!rows[0]?.present) return;
  const known = await client.query<{ key_check: Buffer }>('select key_check from directory.installation');
  const [row] = known.rows;
  if (row && !row.key_check.equals(keyCheck(masterKey)))
    throw new OperatorError(
      'This database was set up with another MASTER_KEY; use that one (or the DATA_DIR that holds its master.key).',
    );
}

/** @throws OperatorError when the server knows no letters but those of its locale, or the database cannot hold all. */
async function checkLetters(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ icu: boolean; encoding: string }>(
    `select exists (select from pg_collation where collname = 'und-x-icu') as icu,
       current_setting('server_encoding') as encoding`,
  );
  const { icu, encoding } = rows[0]!;
  if (!icu) throw new OperatorError('PostgreSQL must be built with ICU, which sorts and compares names.');
  if (encoding !== 'UTF8') throw new OperatorError(`The database must be encoded in UTF8, not ${encoding}.`);
}

async function prepareRoles(client: pg.Client, roles: Roles, masterKey: Buffer): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(`select rolname from pg_roles where rolname = any($1)`, [
    Object.values(roles),
  ]);
  const present = new Set(rows.map((row) => row.rolname));
  for (const role of Object.values(roles) as string[]) {
    if (!present.has(role))
      await client.query(`create role ${role} nologin nosuperuser nocreatedb nocreaterole noinherit`);
  }
  for (const role of [roles.app, roles.system]) {
    const password = client.escapeLiteral(rolePassword(masterKey, role));
    await client.query(`alter role ${role} login password ${password}`);
    for (const [name, value] of Object.entries(SESSION))
      await client.query(`alter role ${role} set ${name} to ${value}`);
  }
  // The worker runs the same few statements with lists of any length. Planning one anew for a short list costs more than
  // running it.
  await client.query(`alter role ${roles.system} set plan_cache_mode to force_generic_plan`);
  const database = client.escapeIdentifier(client.database ?? '');
  await client.query(`grant ${roles.owner}, ${roles.lookup} to current_user`);
  await client.query(`grant ${roles.lookup} to ${roles.owner}`);
  await client.query(`grant create, connect on database ${database} to ${roles.owner}`);
  await client.query(`grant connect on database ${database} to ${roles.app}, ${roles.system}`);
  await client.query(`revoke create on schema public from public`);
  for (const schema of ['directory', 'data'])
    await client.query(`create schema if not exists ${schema} authorization ${roles.owner}`);
}

/** What every session of the API and the worker runs with. */
const SESSION = {
  timezone: `'UTC'`,
  datestyle: `'ISO'`,
  statement_timeout: `'15s'`,
  lock_timeout: `'3s'`,
  idle_in_transaction_session_timeout: `'10s'`,
  // Before PostgreSQL 18, ways that a statement rules out (`planning.ts`) count as cost: it would compile for seconds what
  // runs for a millisecond.
  jit: 'off',
};
