import pg from 'pg';
import { until } from '#libs/testing/until.js';
import type { TestDatabase } from '../../harness/database.js';

const WAITING = `select count(distinct pid)::integer as count from pg_locks
  where not granted and pid <> pg_backend_pid() and pid in (
    select pid from pg_stat_activity where datname = current_database())`;

/**
 * Sends requests that all make their changes before any of them commits: each stops at its audit entry or waits for a
 * lock, and all continue once every request has stopped.
 */
export async function together<T>(database: TestDatabase, requests: (() => Promise<T>)[]): Promise<T[]> {
  const client = new pg.Client({ connectionString: database.adminUrl });
  const observer = new pg.Client({ connectionString: database.adminUrl });
  await Promise.all([client.connect(), observer.connect()]);
  try {
    await client.query('begin');
    await client.query('lock table data.audit_log in exclusive mode');
    const answers = Promise.all(requests.map((send) => send()));
    await until(async () => {
      const { rows } = await observer.query<{ count: number }>(WAITING);
      return rows[0]!.count >= requests.length;
    });
    await client.query('commit');
    return await answers;
  } finally {
    await Promise.all([client.end(), observer.end()]);
  }
}
