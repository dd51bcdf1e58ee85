import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import type { Roles } from '#libs/database/roles.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { migrate } from '#src/database/migrate.js';
import { MIGRATIONS } from '#src/database/migrations.js';
import { installationRoles } from '#src/database/urls.js';
import { BackupReader, type Manifest, type Summary, verifyBackupFile } from './backup-file.js';
import { storedTables, TEXT_FORMAT } from './stored-tables.js';

/** What has been restored. */
export interface Restored {
  manifest: Manifest;
  rows: Summary['rows'];
}

/**
 * Restores a backup into an empty database, which may be migrated already, and migrates it to the newest schema. The
 * backup is verified first, and all rows are restored in one transaction, so a failure leaves an empty database.
 * @throws OperatorError if the database is not empty or in use, the master key is another one, or the backup is damaged
 * or of a newer release.
 */
export async function restoreBackup(adminUrl: string, settings: Settings, path: string): Promise<Restored> {
  await verifyBackupFile(path);
  const reader = new BackupReader(path);
  try {
    const manifest = await reader.manifest();
    checkManifest(manifest, settings);
    const roles = installationRoles(settings, adminUrl);
    let rows: Summary['rows'] = {};
    await migrate(adminUrl, settings, {
      prepare: (client) => makeEmpty(client, roles),
      first: MIGRATIONS.filter(({ name }) => manifest.migrations.includes(name)),
      fill: async (client) => {
        await client.query(TEXT_FORMAT);
        await client.query(`set role ${roles.owner}`);
        rows = await fill(client, manifest, reader);
      },
    });
    return { manifest, rows };
  } finally {
    await reader.close();
  }
}

function checkManifest({ migrations, masterKeyIds }: Manifest, settings: Settings): void {
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new OperatorError(`The backup is of a newer release (migration ${unknown}): restore it with that release`);
  const { ids } = loadMasterKeys(settings);
  const missing = masterKeyIds.find((id) => !ids.includes(id));
  if (missing !== undefined)
    throw new OperatorError(
      `The backup was made with another master key (key id ${missing}): set MASTER_KEY to that key, or copy its master.key into DATA_DIR`,
    );
}

const TENANTS = `select to_regclass('directory.migrations') is not null as "isOurs",
  to_regclass('directory.tenants') is not null as "hasTenants",
  exists (select from pg_class where relnamespace in (select oid from pg_namespace where nspname in ('data', 'directory', 'queue')))
    as "hasTables",
  exists (select from pg_stat_activity where datname = current_database() and usename in ($1, $2)) as "isUsed"`;

/** Removes the tables of a database without tenants. @throws OperatorError for any other database. */
async function makeEmpty(client: pg.Client, { app, system }: Roles): Promise<void> {
  const { rows } = await client.query<Record<'isOurs' | 'hasTenants' | 'hasTables' | 'isUsed', boolean>>(TENANTS, [
    app,
    system,
  ]);
  const { isOurs, hasTenants, hasTables, isUsed } = rows[0]!;
  const count = hasTenants ? (await client.query('select from directory.tenants limit 1')).rowCount : 0;
  if (count !== 0) throw new OperatorError('The database contains tenants; restore into an empty one');
  if (hasTables && !isOurs) throw new OperatorError('The database contains other tables; restore into an empty one');
  if (isUsed) throw new OperatorError('An API, a worker or a command uses the database: stop it first');
  await client.query('drop schema if exists data, directory, queue cascade');
}

/** What the owner of the tables has to undo in this order before rows can be loaded, and to redo in the opposite one. */
const OBSTACLES = `
  select 1 as place, format('alter table %s no force row level security', oid::regclass) as undo,
    format('alter table %s force row level security', oid::regclass) as redo
  from pg_class where relforcerowsecurity and relnamespace in ('data'::regnamespace, 'directory'::regnamespace)
  union all
  select distinct 2, format('alter table %s disable trigger user', tgrelid::regclass),
    format('alter table %s enable trigger user', tgrelid::regclass)
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not tgisinternal and c.relnamespace in ('data'::regnamespace, 'directory'::regnamespace)
  union all
  select 3, format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
  from pg_constraint where contype = 'f' and conparentid = 0
    and connamespace in ('data'::regnamespace, 'directory'::regnamespace)
  order by place`;

const MAKE_PARTITIONS = `
  select data.make_partition(c.relname::text, a.attname::text, to_date(right(t.name, 8), 'YYYYMMDD'))
  from unnest($1::text[]) as t (name)
    join pg_class c on c.relnamespace = 'data'::regnamespace and c.relkind = 'p' and c.relname = left(t.name, -9)
    join pg_partitioned_table p on p.partrelid = c.oid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]`;

/** Loads all rows, as the owner of the tables: managed databases have no superuser. */
async function fill(client: pg.Client, manifest: Manifest, reader: BackupReader): Promise<Summary['rows']> {
  await client.query('begin');
  await client.query(MAKE_PARTITIONS, [manifest.partitions]);
  const { rows: obstacles } = await client.query<{ undo: string; redo: string }>(OBSTACLES);
  for (const { undo } of obstacles) await client.query(undo);
  const rows = await fillTables(client, reader);
  for (const [name, value] of Object.entries(manifest.sequences))
    await client.query('select setval($1::regclass, $2::bigint)', [name, value]);
  for (const { redo } of obstacles.reverse()) await client.query(redo);
  await client.query('commit');
  await client.query('analyze');
  return rows;
}

/** @returns the number of rows of each table. */
async function fillTables(client: pg.Client, reader: BackupReader): Promise<Summary['rows']> {
  const tables = new Map((await storedTables(client)).map(({ name, columns }) => [name, columns]));
  await client.query(`truncate ${[...tables.keys()].join(', ')}`);
  const rows: Summary['rows'] = {};
  for (;;) {
    const part = await reader.next();
    if (!('table' in part)) {
      if (isDeepStrictEqual(part.rows, rows) && Object.keys(rows).length === tables.size) return rows;
      throw new OperatorError('The backup is damaged: a table is missing, or its number of rows is wrong');
    }
    const { table, columns } = part;
    if (table in rows || !columns.every((column) => tables.get(table)?.includes(column)))
      throw new OperatorError(`The backup is damaged: its release has no such table ${table}`);
    const copy = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
    await pipeline(reader.rows(), copy);
    rows[table] = copy.rowCount;
  }
}
