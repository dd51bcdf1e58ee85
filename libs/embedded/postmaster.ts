import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OperatorError } from '#libs/config/operator-error.js';

/** The content of a server's `postmaster.pid`. */
interface PostmasterFile {
  pid: number;
  /** Whether it accepts connections. */
  ready: boolean;
}

/** Above the highest process number of every platform. `Source:` proc(5), pid_max. */
const NO_PROCESS = 4_194_305;
const POLL_MS = 10;
const FAST_STOP_MS = 20_000;
const HARD_STOP_MS = 5_000;

/** Reads a cluster's `postmaster.pid`. Null when there is none. `Source:` PostgreSQL src/include/utils/pidfile.h */
export function readPostmaster(cluster: string): PostmasterFile | null {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Math.abs(Number(lines[0])), ready: lines[7]?.trim() === 'ready' };
  } catch {
    return null;
  }
}

/**
 * Stops a server that still runs on the cluster although its parent is gone, and ensures that PostgreSQL can start
 * after the last one was killed. The caller holds the data folder's lock.
 * @throws OperatorError when it cannot be stopped.
 */
export async function stopOrphan(cluster: string): Promise<void> {
  const found = readPostmaster(cluster);
  if (!found) return;
  if (!isAlive(found.pid) || !isPostmasterOf(found.pid, cluster)) {
    disown(cluster);
    return;
  }
  const steps = [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', HARD_STOP_MS],
    ['SIGKILL', HARD_STOP_MS],
  ] as const;
  for (const [signal, limitMs] of steps) {
    send(signal, found.pid, cluster);
    const deadlineMs = Date.now() + limitMs;
    while (Date.now() < deadlineMs) {
      if (!isAlive(found.pid)) return disown(cluster);
      await wait(POLL_MS);
    }
  }
  throw new OperatorError(`Another PostgreSQL (process ${found.pid}) uses ${cluster} and does not stop`);
}

/**
 * PostgreSQL refuses to start while the process named in `postmaster.pid` exists, even if it is a zombie or another
 * process with a reused number. The number is therefore replaced by one that no process has. The rest of the file
 * stays, because PostgreSQL uses it to check whether the killed server's shared memory is still in use.
 */
function disown(cluster: string): void {
  const path = join(cluster, 'postmaster.pid');
  const text = readOrEmpty(path);
  if (/^-?\d+\n/.test(text)) writeFileSync(path, text.replace(/^-?\d+/, String(NO_PROCESS)));
  else rmSync(path, { force: true });
}

function send(signal: NodeJS.Signals, pid: number, cluster: string): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new OperatorError(
      `Another PostgreSQL (process ${pid}) uses ${cluster} and cannot be stopped: ${(error as Error).message}`,
    );
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !/^\d+ \(.*\) Z/s.test(readOrEmpty(`/proc/${pid}/stat`));
}

function isPostmasterOf(pid: number, cluster: string): boolean {
  const command =
    process.platform === 'linux'
      ? readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
      : spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
  return command.includes(`-D ${cluster} `);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
