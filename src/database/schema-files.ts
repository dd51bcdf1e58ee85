import pg from 'pg';
import { rolesOf } from '#libs/database/roles.js';
import { setMigrationContext } from '#libs/database/tenant-table.js';
import { functionFile } from './function-file.js';
import { applyFunctions, declaredFunctions } from './functions.js';
import { runMigrations } from './migrate.js';
import { schemaText } from './schema-text.js';

/** Path of the committed schema in the project. */
export const SCHEMA_PATH = 'src/database/schema.sql';

const DEFINITIONS = `
  select n.nspname || '.' || p.proname as name, pg_get_functiondef(p.oid) as definition
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('data', 'directory')`;

/**
 * Runs all migrations in an empty database of a server that nothing else uses.
 * @returns by path in the project: the schema, and each function that has no file yet.
 */
export async function schemaFiles(adminUrl: string): Promise<Record<string, string>> {
  const roles = rolesOf('schema');
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const role of Object.values(roles) as string[]) await client.query(`create role ${role} noinherit`);
    await client.query(`grant ${roles.lookup}, ${roles.system} to ${roles.owner}`);
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`grant create on database ${client.escapeIdentifier(rows[0]!.name)} to ${roles.owner}`);
    for (const schema of ['directory', 'data'])
      await client.query(`create schema ${schema} authorization ${roles.owner}`);
    setMigrationContext({ roles, masterKeyId: 'none' });
    await runMigrations(adminUrl, roles);
    await applyFunctions(client, roles);
    const text = await schemaText(client, roles);
    return { [SCHEMA_PATH]: text, ...(await newFunctions(client)) };
  } finally {
    await client.end();
  }
}

async function newFunctions(client: pg.Client): Promise<Record<string, string>> {
  const declared = new Set(declaredFunctions());
  const { rows } = await client.query<{ name: string; definition: string }>(DEFINITIONS);
  const missing = rows.filter(({ name }) => !declared.has(name));
  return Object.fromEntries(
    missing.map(({ name, definition }) => [`src/database/functions/${name}.sql`, functionFile(definition)]),
  );
}
