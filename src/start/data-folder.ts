import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDataDir } from '#libs/config/data-dir.js';
import { OperatorError } from '#libs/config/operator-error.js';
import { processBirth } from './process-birth.js';

/** The process that uses a data folder, as recorded in `DATA_DIR/runtime.json` (mode 0600). */
export interface Holder {
  pid: number;
  birth: string | null;
  /** `platform` runs until it is stopped; `command` is one operator command. */
  purpose: 'platform' | 'command';
  /** Superuser URL of the database; null until it runs. */
  adminUrl: string | null;
  /** Base URL of the API; null until it is ready. */
  apiUrl: string | null;
  /** Ids of the master keys that it accepts; empty until they are known. */
  masterKeyIds: string[];
  /** Processes started by the holder, which may briefly outlive it. */
  children: { pid: number; birth: string | null }[];
}

/** The right to use a data folder, until `release`. */
export interface Hold {
  /** Publishes more about the holder. */
  publish(more: Partial<Pick<Holder, 'adminUrl' | 'apiUrl' | 'masterKeyIds' | 'children'>>): void;
  release(): void;
  /** The dead holder that was replaced; null when the folder was released properly. */
  readonly predecessor: Holder | null;
}

/** The live holder of a data folder; null when nobody uses it. */
export function readHolder(dataDir: string): Holder | null {
  const holder = read(pathIn(dataDir));
  return holder && isAlive(holder) ? holder : null;
}

/**
 * Takes exclusive hold of a data folder. Waits up to a minute for an operator command that uses it.
 * @throws OperatorError when a running platform holds it.
 */
export async function holdDataFolder(dataDir: string, purpose: Holder['purpose']): Promise<Hold> {
  makeDataDir({ DATA_DIR: dataDir });
  const path = pathIn(dataDir);
  const giveUpMs = Date.now() + 60_000;
  let self: Holder = {
    pid: process.pid,
    birth: processBirth(process.pid),
    purpose,
    adminUrl: null,
    apiUrl: null,
    masterKeyIds: [],
    children: [],
  };
  let predecessor: Holder | null = null;
  while (!create(path, self)) {
    const holder = read(path);
    if (holder && isAlive(holder)) {
      if (holder.purpose === 'platform' || Date.now() > giveUpMs) throw inUse(dataDir, holder);
      await wait(50);
    } else {
      predecessor = (await removeStale(path, holder)) ?? predecessor;
    }
  }
  return {
    predecessor,
    publish: (more) => {
      self = { ...self, ...more };
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, format(self), { mode: 0o600 });
      renameSync(draft, path);
    },
    release: () => {
      const holder = read(path);
      if (holder?.pid === self.pid && holder.birth === self.birth) rmSync(path, { force: true });
    },
  };
}

const pathIn = (dataDir: string): string => join(dataDir, 'runtime.json');

const format = (holder: Holder): string => `${JSON.stringify(holder, null, 2)}\n`;

const isAlive = (holder: Pick<Holder, 'pid' | 'birth'>): boolean => {
  const birth = processBirth(holder.pid);
  return birth !== null && birth === holder.birth;
};

function inUse(dataDir: string, holder: Holder): OperatorError {
  const url = holder.apiUrl ? ` at ${holder.apiUrl}` : '';
  return new OperatorError(
    `The data folder ${dataDir} is in use by a running platform (process ${holder.pid}${url}): stop it, or set DATA_DIR to another folder`,
  );
}

/** Null when the file is missing or incomplete. */
function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** False when the file exists. */
function create(path: string, holder: Holder): boolean {
  try {
    writeFileSync(path, format(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new OperatorError(`The data folder cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Moves the file of a dead holder aside and returns its content. If another process was faster, the moved file is its
 * new claim and is put back, unless the folder has been claimed again meanwhile.
 */
async function removeStale(path: string, stale: Holder | null): Promise<Holder | null> {
  // Another process may have created the file without having written it yet.
  if (!stale) await wait(200);
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return null;
  }
  const moved = read(aside);
  if (moved && isAlive(moved)) create(path, moved);
  rmSync(aside, { force: true });
  return moved && !isAlive(moved) ? moved : null;
}
