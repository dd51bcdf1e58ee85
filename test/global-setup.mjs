import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './native-typescript.mjs';

/**
 * Starts the one PostgreSQL of a test run, unless `TEST_DATABASE_URL` names another, and tells the Jest workers its
 * superuser connection as `TEST_ADMIN_URL`. The server and its folder go with this process, however that ends.
 */
export default async function setUp() {
  process.env.TEST_ADMIN_URL = process.env.TEST_DATABASE_URL || (await startServer());
}

async function startServer() {
  const { startEmbeddedPostgres, FAST_SETTINGS } = await import('../libs/embedded/server.ts');
  globalThis.testServer = await startEmbeddedPostgres({
    dataDir: mkdtempSync(join(tmpdir(), 'postgres-')),
    settings: {
      ...FAST_SETTINGS,
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'none', // a suite that tests it turns it on in its own database
    },
    temporary: true,
  });
  return globalThis.testServer.url;
}
