import pg from 'pg';
import { Database } from '#libs/database/database.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type Running, startRunning } from '../matrix/running.js';

/**
 * Creates that share a flight hold their locks until all of them are written. Two flights that wanted the same locks in
 * another order would wait for each other, so what the database does with a new row may take none of these.
 */
const platform: Running = await startRunning();
const { source } = platform.app.get(Database);
const together = platform.app
  .get(ResourceRegistry)
  .all()
  .filter(({ createsTogether }) => createsTogether);
let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: platform.database.adminUrl });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await platform.close();
});

/**
 * Triggers that lock rows of others, or a lock by name, for each new row (`for share` keeps no other create waiting), and
 * keys besides the id and the reference, which no two rows are given: whoever adds one waits for another flight that has
 * just added the same.
 */
const LOCKING = `
  select indexrelid::regclass::text as name from pg_index where indrelid = $1::regclass and indisunique and not indisprimary
    and indexrelid::regclass::text not like '%\\_reference\\_key'
  union all
  select t.tgname as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
  where t.tgrelid = $1::regclass and not t.tgisinternal and t.tgtype & 4 = 4
    and p.prosrc ~* 'for (no key )?update|update data\\.|advisory'`;

async function locksOf(table: string): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(LOCKING, [table]);
  return rows.map(({ name }) => name);
}

it.each(together.map((definition): [string, ResourceDefinition] => [definition.type, definition]))(
  'new rows of %s lock nothing that others could want',
  async (_type, { entity }) => {
    expect(await locksOf(source.getMetadata(entity).tablePath)).toEqual([]);
  },
);

it('finds the locks of those that are counted elsewhere', async () => {
  for (const table of ['data.sales_products', 'data.work_tasks', 'data.work_time_entries', 'data.work_milestones'])
    expect(await locksOf(table)).not.toEqual([]);
});
