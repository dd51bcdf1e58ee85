import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from './operator-error.js';
import type { Settings } from './settings.js';

/**
 * Creates `DATA_DIR` if it is missing. As root, it gets mode 0711 so that the account of the embedded database can
 * traverse it; files in it are 0600 in any case.
 * @returns its absolute path.
 * @throws OperatorError when it cannot be created.
 */
export function makeDataDir(settings: Pick<Settings, 'DATA_DIR'>): string {
  const path = settings.DATA_DIR;
  try {
    makeFolder(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    throw new OperatorError(`The data folder ${path} cannot be created: ${(error as Error).message}`, { cause: error });
  }
  return path;
}

/**
 * Creates a folder and missing parents with exactly this mode, regardless of the umask. An existing one stays
 * unchanged. (Node's recursive mkdir never returns if the system reports ENOENT, as in /proc.)
 * @throws Error of the file system.
 */
export function makeFolder(path: string, mode: number): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process created it first.
    if (isFolder(path)) return;
    throw error;
  }
  chmodSync(path, mode);
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
