import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '#libs/config/data-dir.js';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Binaries } from './binaries.js';
import type { Launcher } from './launcher.js';

/** Where and how one server runs. */
export interface Place {
  folder: string;
  binaries: Binaries;
  launcher: Launcher;
  settings: Record<string, string>;
}

const DRAFT = 'draft-';

/** Environment of PostgreSQL's programs, without client settings (PGDATA, PGPORT ...) and the host's locale. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, LC_ALL: 'C', TZ: 'UTC' };
}

/** Creates the folder, mode 0700, if it is missing, and returns its real path. @throws OperatorError */
export function openFolder(path: string): string {
  try {
    makeFolder(path, 0o700);
    return realpathSync(path);
  } catch (error) {
    throw new OperatorError(`The database folder ${path} cannot be created: ${(error as Error).message}`);
  }
}

/** Superuser password of an existing cluster. @throws OperatorError */
export function readPassword(folder: string): string {
  try {
    return readFileSync(join(folder, 'password'), 'utf8').trim();
  } catch (error) {
    throw new OperatorError(`The password of the database in ${folder} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Creates the cluster and returns its superuser password. It is created next to its final path and moved when complete,
 * so that an interruption leaves no partial cluster.
 * @throws OperatorError
 */
export async function makeCluster({ folder, binaries, launcher, settings }: Place): Promise<string> {
  for (const name of readdirSync(folder))
    if (name.startsWith(DRAFT)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
  // A unique name, because initdb of an interrupted start may still be writing to its draft.
  const id = randomBytes(4).toString('hex');
  const draft = join(folder, `${DRAFT}${id}`);
  const passwordFolder = join(folder, `${DRAFT}${id}-password`);
  const password = randomBytes(24).toString('base64url');
  mkdirSync(passwordFolder, { mode: 0o700 });
  writeFileSync(join(passwordFolder, 'password'), `${password}\n`, { mode: 0o600 });
  launcher.own(draft);
  launcher.own(passwordFolder);
  const { file, args, options } = launcher.call(binaries.initdb, [
    `--pgdata=${draft}`,
    `--pwfile=${join(passwordFolder, 'password')}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--no-instructions',
    ...(settings['fsync'] === 'off' ? ['--no-sync'] : []),
  ]);
  try {
    await promisify(execFile)(file, args, { ...options, cwd: '/', env: serverEnvironment() });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const reason = stderr.split('\n').find((line) => line.includes('error:')) ?? message;
    throw new OperatorError(`The embedded PostgreSQL cannot create its database in ${folder}: ${reason}`);
  } finally {
    rmSync(passwordFolder, { recursive: true, force: true });
  }
  writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, 'cluster'));
  return password;
}
