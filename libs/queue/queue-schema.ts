import { quoteSchemaName, runMigrations } from 'bullmq';
import pg from 'pg';
import { QUEUE_NAMES } from './queue-names.js';

/** Serializes migrators, because concurrent grants would fail on each other's catalogue rows. */
const GRANT_LOCK = 0x71756575;

/**
 * Creates or updates the schema of BullMQ's PostgreSQL backend and gives `role` access without ownership. Safe to run
 * repeatedly and from several processes at once.
 *
 * The role gets rights on existing objects and needs no `CREATE`: the only object that the backend would create at run
 * time, a sequence of job ids per queue, is created here. It does need `TEMPORARY` on the database, because bulk
 * inserts use temporary tables. PostgreSQL gives that privilege to everybody by default; if it was revoked, it is
 * granted here.
 *
 * @param adminUrl connection string of a role that may create schemas and owns the schema if it exists
 * @param schema letters, digits, underscores; at most 63
 * @param role an existing role, not quoted
 */
export async function migrateQueueSchema(
  adminUrl: string,
  schema: string,
  role: string,
  queues: readonly string[] = QUEUE_NAMES,
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await runMigrations(client, schema);
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [GRANT_LOCK]);
    await client.query(`set local search_path to ${quoteSchemaName(schema)}`);
    for (const queue of queues) await createIdSequence(client, queue);
    await grant(client, quoteSchemaName(schema), role);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function createIdSequence(client: pg.Client, queue: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select job_id_seq_name($1) as name', [queue]);
  await client.query(`create sequence if not exists ${client.escapeIdentifier(rows[0]!.name)}`);
}

async function grant(client: pg.Client, schema: string, role: string): Promise<void> {
  const to = client.escapeIdentifier(role);
  await client.query(`
    grant usage on schema ${schema} to ${to};
    grant select, insert, update, delete on all tables in schema ${schema} to ${to};
    revoke insert, update, delete on migration from ${to};
    grant usage, select, update on all sequences in schema ${schema} to ${to};
    grant execute on all functions in schema ${schema} to ${to};
  `);
  const { rows } = await client.query<{ database: string; temporary: boolean }>(
    `select current_database() as database, has_database_privilege($1, current_database(), 'temporary') as temporary`,
    [role],
  );
  const { database, temporary } = rows[0]!;
  if (!temporary) await client.query(`grant temporary on database ${client.escapeIdentifier(database)} to ${to}`);
}
