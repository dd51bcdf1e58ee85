import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from './operator-error.js';
import type { Settings } from './settings.js';

/**
 * Makes `DATA_DIR` if it is not there. Root leaves it passable (0711) for the account that runs the embedded
 * database; the files in it are 0600 either way.
 * @returns its absolute path.
 * @throws OperatorError when it cannot be made.
 */
export function makeDataDir(settings: Pick<Settings, 'DATA_DIR'>): string {
  const path = settings.DATA_DIR;
  try {
    makeFolder(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw new OperatorError(`The data folder ${path} cannot be made: ${(error as Error).message}`, { cause: error });
  }
  return path;
}

/**
 * Makes a folder, and those above it that are missing, with exactly this mode whatever the umask. An existing one
 * stays as it is. (Node's own recursive mkdir never returns where the system answers ENOENT, as in /proc.)
 * @throws Error of the file system.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process was faster.
    if (isFolder(path)) return;
    throw error;
  }
  chmodSync(path, mode);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
