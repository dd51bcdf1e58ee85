import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Database } from '#libs/database/database.js';
import { dataSource } from '#libs/database/data-source.js';
import { createTestDatabase } from '../harness/database.js';

/** A separate database on which `Database` runs without an app. */
export interface DirectDatabase {
  /** As the owner, without row-level security. */
  admin: pg.Client;
  source: DataSource;
  database: Database;
  close(): Promise<void>;
}

/** Opens one with the role of API or worker and a given number of connections, growing slowly or not. */
export async function directDatabase(
  role: 'app' | 'system',
  poolSize = 1,
  growsSlowly = false,
): Promise<DirectDatabase> {
  const test = await createTestDatabase();
  const admin = new pg.Client({ connectionString: test.adminUrl });
  await admin.connect();
  const url = role === 'app' ? test.appUrl : test.systemUrl;
  const options = { url, entities: [], poolSize, applicationName: 'direct', use: { growsSlowly } };
  const source = await dataSource(options).initialize();
  return {
    admin,
    source,
    database: new Database(source),
    close: async () => {
      await source.destroy();
      await admin.end();
      await test.drop();
    },
  };
}
