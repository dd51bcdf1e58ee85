import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Content of a file without white space at its ends; null if it does not exist. @throws Error of the file system. */
export function readPrivate(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Creates a file with mode 0600 unless it exists. The complete file is linked into place, so that processes that start
 * at the same time agree on its content.
 * @returns its content. @throws Error of the file system.
 */
export function createPrivate(path: string, text: string): string {
  const draft = writeDraft(path, text);
  try {
    linkSync(draft, path);
    sync(dirname(path));
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readPrivate(path)!;
}

/** Replaces a file in one step, with mode 0600. A crash leaves the old or the new one. @throws Error of the file system. */
export function replacePrivate(path: string, text: string): void {
  renameSync(writeDraft(path, text), path);
  sync(dirname(path));
}

/** Writes a temporary file next to its path, and to the disk. */
function writeDraft(path: string, text: string): string {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
  return draft;
}

function sync(folder: string): void {
  const file = openSync(folder, 'r');
  fsyncSync(file);
  closeSync(file);
}

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
