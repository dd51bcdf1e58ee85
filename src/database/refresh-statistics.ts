import pg from 'pg';
import type { Settings } from '#libs/config/settings.js';
import { installationRoles } from './urls.js';

/**
 * Updates the planner statistics of a table with many new rows, as its owner. Never throws: without permission,
 * autovacuum does it within about a minute.
 * @param table a constant name, never from a request.
 */
export async function refreshStatistics(adminUrl: string, settings: Settings, table: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`set role ${installationRoles(settings, adminUrl).owner}`);
    await client.query(`vacuum (analyze) ${table}`);
  } catch {
    return; // the rows are stored in any case
  } finally {
    await client.end().catch(() => undefined);
  }
}
