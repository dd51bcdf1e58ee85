import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, CommandRun } from './command.js';
import { type EventDocument, eventTypes } from './event-types.js';
import { checkFiles, OPENAPI_PATH, projectRoot, writeFiles } from './project-files.js';
import { referencePages } from './reference-pages.js';

const EVENT_TYPES = 'receiver/events.d.ts';

/** `docs`: writes the reference pages, from the table of commands and the committed OpenAPI document among others. */
export const docsOf =
  (commands: readonly Command[]): CommandRun =>
  async (given) => {
    const document = JSON.parse(readFileSync(join(projectRoot(), OPENAPI_PATH), 'utf8')) as EventDocument;
    const pages = { ...referencePages(commands), [EVENT_TYPES]: eventTypes(document) };
    const paths = Object.keys(pages);
    if (given['check'] === true) {
      checkFiles(projectRoot(), pages, 'docs');
      return { json: { pages: paths, upToDate: true }, text: `Up to date: ${paths.join(', ')}` };
    }
    const written = writeFiles(projectRoot(), pages);
    return {
      json: { pages: paths, written },
      text: [
        written.length === 0 ? 'Nothing has changed.' : `Written: ${written.join(', ')}`,
        `${EVENT_TYPES} describes the events in ${OPENAPI_PATH}: after changing any, run "npm run openapi -- --write" first.`,
      ].join('\n'),
    };
  };
