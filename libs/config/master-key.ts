import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.js';
import { OperatorError } from './operator-error.js';
import type { Settings } from './settings.js';

const KEY_BYTES = 32;

/**
 * The key that encrypts the data keys of the tenants: `MASTER_KEY`, otherwise the one in `DATA_DIR/master.key` (base64,
 * mode 0600), which is generated on first use.
 * @returns 32 bytes.
 * @throws OperatorError when the file cannot be read or written, or contains no key.
 */
export function loadMasterKey(settings: Pick<Settings, 'MASTER_KEY' | 'DATA_DIR'>): Buffer {
  if (settings.MASTER_KEY) return settings.MASTER_KEY;
  const path = join(makeDataDir(settings), 'master.key');
  try {
    return parse(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (!isMissing(error)) throw asOperatorError(error, path);
  }
  try {
    return make(path);
  } catch (error) {
    throw asOperatorError(error, path);
  }
}

/**
 * Writes a new key to a temporary file and links it into place, so that processes that start at the same time agree on
 * one key.
 */
function make(path: string): Buffer {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return parse(readFileSync(path, 'utf8'), path);
}

function parse(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES) throw new OperatorError(`The master key ${path} is not 32 bytes in base64`);
  return key;
}

function asOperatorError(error: unknown, path: string): OperatorError {
  if (error instanceof OperatorError) return error;
  return new OperatorError(`The master key ${path} cannot be used: ${(error as Error).message}`, { cause: error });
}

const isMissing = (error: unknown): boolean => isCode(error, 'ENOENT');

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
