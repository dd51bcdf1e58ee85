import pg from 'pg';
import type { Settings } from '#libs/config/settings.js';
import { installationRoles } from './urls.js';

/**
 * Lets PostgreSQL plan at once with many new rows in a table, as its owner. Never fails: where it may not be done,
 * autovacuum does it within a minute or so.
 * @param table a name from code, never from a request.
 */
export async function refreshStatistics(adminUrl: string, settings: Settings, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`set role ${installationRoles(settings, adminUrl).owner}`);
    await client.query(`vacuum (analyze) ${table}`);
  } catch {
    return; // the rows are there either way
  } finally {
    await client.end().catch(() => undefined);
  }
}
