import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { OperatorError } from '#libs/config/operator-error.js';
import { MIGRATION_LOCK } from '#src/database/migrate.js';
import { FORMAT, type Manifest, type Part, type Summary, type TableLine, writeBackupFile } from './backup-file.js';
import { storedTables, TEXT_FORMAT } from './stored-tables.js';

/** What has been backed up. */
export interface BackupMade {
  bytes: number;
  manifest: Manifest;
  rows: Summary['rows'];
}

const SEES_ALL = `select current_user as name, rolsuper or rolbypassrls as "seesAll" from pg_roles where rolname = current_user`;
const MIGRATED = `select to_regclass('directory.master_keys') is not null as "isMigrated"`;
const MANIFEST = `
  select now() as "createdAt", current_setting('server_version') as postgres,
    array(select name::text from directory.migrations order by timestamp) as migrations,
    array(select id from directory.master_keys order by id) as "masterKeyIds",
    array(select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where c.relnamespace = 'data'::regnamespace and c.relname ~ '_[0-9]{8}$' and c.relkind = 'r' order by 1) as partitions,
    (select coalesce(json_object_agg(format('%I.%I', schemaname, sequencename), last_value::text), '{}') from pg_sequences
      where schemaname in ('data', 'directory') and sequencename <> 'migrations_id_seq' and last_value is not null)
      as sequences`;

/**
 * Backs up all tables of the platform as of one moment, while it runs, into one file with mode 0600. Migrations wait
 * meanwhile.
 * @throws OperatorError if the role sees only a part of the rows, or the file cannot be written.
 */
export async function makeBackup(databaseUrl: string, path: string): Promise<BackupMade> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // the running statement fails as well and reports it
  await client.connect();
  try {
    await client.query(TEXT_FORMAT);
    await checkRole(client);
    await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK]);
    await client.query('begin isolation level repeatable read read only');
    const manifest = await manifestOf(client);
    const rows: Summary['rows'] = {};
    const bytes = await writeBackupFile(path, partsOf(client, manifest, rows), () => rows);
    return { bytes, manifest, rows };
  } finally {
    await client.end();
  }
}

async function checkRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; seesAll: boolean }>(SEES_ALL);
  const { name, seesAll } = rows[0]!;
  if (!seesAll)
    throw new OperatorError(
      `Row-level security hides the tenants from the role ${name}: back up with a role that has BYPASSRLS and pg_read_all_data, or with a superuser`,
    );
  // From here on, PostgreSQL fails where it would hide rows.
  await client.query('set row_security to off');
}

async function manifestOf(client: pg.Client): Promise<Manifest> {
  const { rows: found } = await client.query<{ isMigrated: boolean }>(MIGRATED);
  if (!found[0]!.isMigrated)
    throw new OperatorError(
      'The database has no tables of this release or a recent one: run the command migrate first',
    );
  const { rows } = await client.query<Omit<Manifest, 'format' | 'createdAt'> & { createdAt: Date }>(MANIFEST);
  const { createdAt, ...more } = rows[0]!;
  return { format: FORMAT, createdAt: createdAt.toISOString(), ...more };
}

/** @param rows receives the number of rows of each table. */
async function* partsOf(client: pg.Client, manifest: Manifest, rows: Summary['rows']): AsyncGenerator<Part> {
  yield { line: manifest };
  for (const { name, columns } of await storedTables(client)) {
    yield { line: { table: name, columns } satisfies TableLine };
    const copy = client.query(copyTo(`copy (select ${columns.join(', ')} from ${name}) to stdout`));
    yield { rows: copy };
    rows[name] = copy.rowCount;
  }
}
