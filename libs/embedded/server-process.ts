import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OperatorError } from '#libs/config/operator-error.js';
import { serverEnvironment } from './cluster.js';
import type { Place } from './cluster.js';
import { findFreePort } from './free-port.js';
import { guardServer } from './guard.js';
import { readPostmaster } from './postmaster.js';

/** A running server process. */
export interface Server {
  process: ChildProcess;
  /** Resolves when it has ended, with `exit <code>` or the name of the signal. */
  ended: Promise<string>;
}

const READY_LIMIT_MS = 300_000;
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 10_000],
] as const;

/**
 * Starts a server and waits until it accepts connections. It retries if another process takes the port first, or while
 * resources of a killed server are still in use.
 * @param place.fixedPort the required port; null takes that of the last start if free, otherwise any.
 * @param place.temporary removes the folder if this process exits without stopping the server.
 * @throws OperatorError with the server's own reason.
 */
export async function startServer(
  place: Place & { fixedPort: number | null; temporary: boolean },
): Promise<{ server: Server; port: number }> {
  const giveUpMs = Date.now() + 30_000;
  for (;;) {
    const port = place.fixedPort ?? (await findFreePort(readPort(place.folder)));
    const server = spawnServer(place, port);
    const failed = await Promise.race([server.ended, untilReady(server, place.folder)]);
    if (failed === null) return { server, port };
    if (failed === 'late') await stopServer(server);
    const log = readFileSync(join(place.folder, 'server.log'), 'utf8');
    const portTaken = /could not bind|could not create any TCP/.test(log) && place.fixedPort === null;
    const leftovers = /shared memory block .* still in use/.test(log);
    if ((portTaken || leftovers) && Date.now() < giveUpMs) {
      await wait(100);
      continue;
    }
    const reason = log.match(/(?:FATAL|PANIC|ERROR): {2}(.*)/)?.[1] ?? log.trim().split('\n').at(-1);
    throw new OperatorError(`The embedded PostgreSQL in ${place.folder} does not start (${reason || failed})`);
  }
}

function readPort(folder: string): number | null {
  try {
    const port = Number(readFileSync(join(folder, 'port'), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

function spawnServer(place: Place & { temporary: boolean }, port: number): Server {
  const { folder, binaries, launcher, settings } = place;
  const pairs = Object.entries({ ...settings, port: String(port) });
  const parameters = pairs.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { file, args, options } = launcher.call(binaries.postgres, ['-D', join(folder, 'cluster'), ...parameters]);
  const path = join(folder, 'server.log');
  if (existsSync(path)) renameSync(path, `${path}.1`);
  const log = openSync(path, 'wx', 0o600);
  // In a separate session: Ctrl-C in the terminal must not stop the database before its clients.
  const process = spawn(file, args, {
    ...options,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    process.once('error', (error) => resolve(error.message));
    process.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  if (process.pid !== undefined) {
    const guard = guardServer(process.pid, place.temporary ? folder : null);
    void ended.then(() => guard.dismiss());
  }
  return { process, ended };
}

/** Null when the server accepts connections. */
async function untilReady(server: Server, folder: string): Promise<null | 'late'> {
  const deadlineMs = Date.now() + READY_LIMIT_MS;
  let ended = false;
  void server.ended.then(() => (ended = true));
  while (Date.now() < deadlineMs && !ended) {
    const file = readPostmaster(join(folder, 'cluster'));
    if (file?.ready && file.pid === server.process.pid) return null;
    await wait(10);
  }
  return 'late';
}

/** Stops a server: first a fast shutdown that closes connections, then an immediate one. */
export async function stopServer({ process, ended }: Server): Promise<void> {
  for (const [signal, limitMs] of STOP_STEPS) {
    process.kill(signal);
    const timer = new AbortController();
    const inTime = await Promise.race([ended, wait(limitMs, null, { signal: timer.signal }).catch(() => null)]);
    timer.abort();
    if (inTime !== null) return;
  }
}
