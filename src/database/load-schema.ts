import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Roles } from '#libs/database/roles.js';
import { functionText, inTransaction, markFunctions } from './functions.js';

const SCHEMA = fileURLToPath(new URL('./schema.sql', import.meta.resolve('#src/database/migrate.js')));

const IS_EMPTY = `
  select not exists (select from pg_class where relnamespace in ('data'::regnamespace, 'directory'::regnamespace))
    as "isEmpty"`;

/**
 * Loads the schema of `schema.sql` into an empty database, which then needs only the migrations that are younger. Does
 * nothing in any other database. The caller holds the migration lock.
 */
export async function loadSchema(client: pg.Client, roles: Roles): Promise<void> {
  const { rows } = await client.query<{ isEmpty: boolean }>(IS_EMPTY);
  if (!rows[0]!.isEmpty) return;
  const text = readFileSync(SCHEMA, 'utf8')
    .replaceAll(/(?<![:\w]):(owner|app|system|lookup)\b/g, (_, kind: keyof Roles) => roles[kind])
    .replaceAll(/^\\ir functions\/(.*)\.sql$/gm, (_, name: string) => functionText(name));
  await inTransaction(client, async () => {
    await client.query(text);
    await markFunctions(client, roles);
  });
}
