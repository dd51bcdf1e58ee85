import type { Command, CommandRun } from './command.js';
import { checkFiles, projectRoot, writeFiles } from './project-files.js';
import { referencePages } from './reference-pages.js';

/** `docs`; the table of commands is one of the things that it documents. */
export const docsOf =
  (commands: readonly Command[]): CommandRun =>
  async (given) => {
    const pages = referencePages(commands);
    const paths = Object.keys(pages);
    if (given['check'] === true) {
      checkFiles(projectRoot(), pages, 'docs');
      return { json: { pages: paths, upToDate: true }, text: `Up to date: ${paths.join(', ')}` };
    }
    const written = writeFiles(projectRoot(), pages);
    return {
      json: { pages: paths, written },
      text: written.length === 0 ? 'Nothing has changed.' : `Written: ${written.join(', ')}`,
    };
  };
