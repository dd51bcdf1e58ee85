import { mkdtempSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts the one PostgreSQL of a test run, unless `TEST_DATABASE_URL` names another, and tells the Jest workers its
 * superuser connection as `TEST_ADMIN_URL`. The server and its folder go with this process, however that ends.
 */
export default async function setUp() {
  process.env.TEST_ADMIN_URL = process.env.TEST_DATABASE_URL || (await startServer());
}

async function startServer() {
  loadTypeScriptNatively();
  const { startEmbeddedPostgres, FAST_SETTINGS } = await import('../libs/embedded/server.ts');
  globalThis.testServer = await startEmbeddedPostgres({
    dataDir: mkdtempSync(join(tmpdir(), 'platform-test-')),
    settings: FAST_SETTINGS,
    temporary: true,
  });
  return globalThis.testServer.url;
}

/** This runs outside Jest's module system, so Node itself must find the sources. They may hold no decorators. */
function loadTypeScriptNatively() {
  const root = new URL('../', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const own = /^#(libs\/.*)\.js$/.exec(specifier);
      if (own) return nextResolve(`${root}${own[1]}.ts`, context);
      const isNeighbour = specifier.startsWith('./') && context.parentURL?.startsWith(`${root}libs/`);
      return nextResolve(isNeighbour ? specifier.replace(/\.js$/, '.ts') : specifier, context);
    },
  });
}
