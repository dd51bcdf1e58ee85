import type { Settings } from '#libs/config/settings.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { buildOpenApi } from '#src/api/openapi.js';
import { connectionUrls } from '#src/database/urls.js';
import { withDatabase } from '#src/start/database.js';
import { type CommandRun, UsageError } from './command.js';
import { checkFiles, OPENAPI_PATH as PATH, projectRoot, writeFiles } from './project-files.js';

/** `openapi` */
export const openapi: CommandRun = async (given, context) => {
  if (given['check'] === true && given['write'] === true) throw new UsageError('Use either --check or --write');
  const files = { [PATH]: printed(await servedDocument(context.settings())) };
  if (given['check'] === true) {
    checkFiles(projectRoot(), files, 'openapi --write');
    return { json: { path: PATH, upToDate: true }, text: `Up to date: ${PATH}` };
  }
  const written = writeFiles(projectRoot(), files);
  return {
    json: { path: PATH, written: written.length > 0 },
    text: written.length === 0 ? 'Nothing has changed.' : `Written: ${PATH}`,
  };
};

/** The document that the application serves; building it needs a migrated database. */
function servedDocument(settings: Settings): Promise<object> {
  return withDatabase(settings, (adminUrl) =>
    buildOpenApi(settings, loadMasterKeys(settings), connectionUrls(settings, adminUrl).appUrl),
  );
}

/** The document with each reference on one line, so that its changes can be read. */
function printed(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`.replaceAll(/\{\s*("\$ref": "[^"]*")\s*\}/g, '{ $1 }');
}
