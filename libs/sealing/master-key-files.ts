import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDataDir } from '#libs/config/data-dir.js';
import { OperatorError } from '#libs/config/operator-error.js';
import { createPrivate, readPrivate, replacePrivate } from '#libs/config/private-file.js';
import type { Settings } from '#libs/config/settings.js';
import { masterKeyIdOf, MasterKeys } from './master-keys.js';

const KEY_BYTES = 32;

type KeySettings = Pick<Settings, 'MASTER_KEY' | 'MASTER_KEY_PREVIOUS' | 'DATA_DIR'>;

/**
 * The keys that encrypt the data keys of the tenants: `MASTER_KEY` and `MASTER_KEY_PREVIOUS`. Without `MASTER_KEY`,
 * those in `DATA_DIR/master.key` and `DATA_DIR/master.key.previous` (base64, mode 0600); the first is generated on first
 * use.
 * @throws OperatorError when a file cannot be read or written, or contains no key.
 */
export function loadMasterKeys(settings: KeySettings): MasterKeys {
  const { MASTER_KEY: given, MASTER_KEY_PREVIOUS: previous } = settings;
  if (given) return new MasterKeys(given, previous);
  const path = pathIn(settings);
  return explained(path, () => new MasterKeys(currentKey(path), previous ?? read(previousOf(path))));
}

/**
 * Replaces `DATA_DIR/master.key` by a new key and keeps the old one as `DATA_DIR/master.key.previous`. An older previous
 * key is kept too, as `master.key.<id>`. The current key is in a file at any time, so an interruption loses nothing.
 * @returns the new keys.
 * @throws OperatorError when a file cannot be read or written.
 */
export function replaceMasterKey(settings: KeySettings): MasterKeys {
  const path = pathIn(settings);
  return explained(path, () => {
    const current = currentKey(path);
    const older = read(previousOf(path));
    if (older && !older.equals(current)) replacePrivate(`${path}.${masterKeyIdOf(older)}`, older.toString('base64'));
    replacePrivate(previousOf(path), current.toString('base64'));
    replacePrivate(path, newKey());
    return loadMasterKeys(settings);
  });
}

const pathIn = (settings: KeySettings): string => join(makeDataDir(settings), 'master.key');

const previousOf = (path: string): string => `${path}.previous`;

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

const currentKey = (path: string): Buffer => read(path) ?? parse(createPrivate(path, newKey()), path);

/** Null if the file does not exist. */
function read(path: string): Buffer | null {
  const text = readPrivate(path);
  return text === null ? null : parse(text, path);
}

function parse(text: string, path: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES) throw new OperatorError(`The master key ${path} is not 32 bytes in base64`);
  return key;
}

function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The master key ${path} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}
