import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaFiles, SCHEMA_PATH as PATH } from '#src/database/schema-files.js';
import { type CommandRun, UsageError } from './command.js';
import { checkFiles, projectRoot, writeFiles } from './project-files.js';

/** `schema` */
export const schema: CommandRun = async (given) => {
  if (given['check'] === true && given['write'] === true) throw new UsageError('Use either --check or --write');
  const files = await migratedFiles();
  if (given['check'] === true) {
    checkFiles(projectRoot(), files, 'schema --write');
    return { json: { path: PATH, upToDate: true }, text: `Up to date: ${PATH}` };
  }
  const written = writeFiles(projectRoot(), files);
  return {
    json: { path: PATH, written },
    text: written.length === 0 ? 'Nothing has changed.' : `Written: ${written.join(', ')}`,
  };
};

/** The files of a database that has run all migrations, on a PostgreSQL of its own. */
async function migratedFiles(): Promise<Record<string, string>> {
  const { FAST_SETTINGS, startEmbeddedPostgres } = await import('#libs/embedded/server.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-schema-'));
  const server = await startEmbeddedPostgres({ dataDir, settings: FAST_SETTINGS, temporary: true });
  try {
    return await schemaFiles(server.url);
  } finally {
    await server.stop();
  }
}
