import pg from 'pg';
import { Database } from '#libs/database/database.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { type Running, startRunning } from '../matrix/running.js';

/**
 * Creates that share a flight hold their locks until all of them are written. Two flights that take the same locks in a
 * different order would deadlock, so an insert must not take such locks.
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
 * Triggers that take row locks or advisory locks for each new row (`for share` does not block other creates), and
 * unique keys other than id and reference, where an insert waits for a concurrent flight with the same value.
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
  'new rows of %s take no locks that others could wait for',
  async (_type, { entity }) => {
    expect(await locksOf(source.getMetadata(entity).tablePath)).toEqual([]);
  },
);

it('finds the locks of rows that are counted elsewhere', async () => {
  for (const table of ['data.sales_products', 'data.work_tasks', 'data.work_time_entries', 'data.work_milestones'])
    expect(await locksOf(table)).not.toEqual([]);
});
