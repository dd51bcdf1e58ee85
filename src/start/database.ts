import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { startAgain } from './again.js';
import { holdDataFolder, readHolder } from './data-folder.js';
import type { Holder } from './data-folder.js';

/** The database that the platform or an operator command uses. */
export interface AdminDatabase {
  adminUrl: string;
  /** Stops an embedded server; leaves others alone. */
  stop(): Promise<void>;
}

const OLDEST_VERSION = 150_000;
const START_LIMIT_MS = 60_000;

/**
 * The PostgreSQL of `DATABASE_URL`, otherwise an embedded one in `DATA_DIR/postgres`, which is started here and
 * restarted on the same port if it ends unexpectedly. The caller holds the data folder.
 * @param tell called with one line when the embedded server has ended, and one when it is back.
 * @throws OperatorError when it is unreachable, cannot be started or is too old.
 */
export async function openDatabase(settings: Settings, tell: (line: string) => void): Promise<AdminDatabase> {
  if (settings.DATABASE_URL) {
    await checkDatabase(settings.DATABASE_URL);
    return { adminUrl: settings.DATABASE_URL, stop: () => Promise.resolve() };
  }
  // Loaded only without DATABASE_URL, because installations with an external database may omit the binaries.
  const { startEmbeddedPostgres } = await import('#libs/embedded/server.js');
  const options = { dataDir: join(settings.DATA_DIR, 'postgres') };
  let server = await startEmbeddedPostgres(options);
  const { url: adminUrl, port } = server;
  const stopping = new AbortController();
  const start = async () => {
    server = await startEmbeddedPostgres({ ...options, port });
    if (stopping.signal.aborted) await server.stop();
    return { up: Promise.resolve(), ended: server.ended };
  };
  const again = { name: 'embedded PostgreSQL', start, tell, signal: stopping.signal };
  const kept = server.ended.then((how) => startAgain(again, how));
  const stop = async () => {
    stopping.abort();
    await server.stop();
    await kept;
  };
  return { adminUrl, stop };
}

/**
 * Runs an operator command on the platform's database: that of `DATABASE_URL`, otherwise that of the platform running
 * on `DATA_DIR`, otherwise an embedded one that is started and migrated for the duration of the command.
 * @param work receives the superuser URL.
 * @throws OperatorError when the database is unavailable, or `MASTER_KEY` differs from that of the running platform.
 */
export function withDatabase<T>(settings: Settings, work: (adminUrl: string) => Promise<T>): Promise<T> {
  return onDatabase(settings, work, async (adminUrl) => {
    const { migrate } = await import('#src/database/migrate.js');
    await migrate(adminUrl, settings);
  });
}

/** Like {@link withDatabase}, but an embedded database is used as it is. */
export function withUnmigratedDatabase<T>(settings: Settings, work: (adminUrl: string) => Promise<T>): Promise<T> {
  return onDatabase(settings, work, () => Promise.resolve());
}

/** @param started called with the URL of an embedded database that this process has started. */
async function onDatabase<T>(
  settings: Settings,
  work: (adminUrl: string) => Promise<T>,
  started: (adminUrl: string) => Promise<void>,
): Promise<T> {
  if (settings.DATABASE_URL) {
    await checkDatabase(settings.DATABASE_URL);
    return work(settings.DATABASE_URL);
  }
  const running = await runningPlatform(settings);
  if (running) return work(running);
  const hold = await holdDataFolder(settings.DATA_DIR, 'command');
  try {
    const database = await openDatabase(settings, () => undefined);
    try {
      await started(database.adminUrl);
      return await work(database.adminUrl);
    } finally {
      await database.stop();
    }
  } finally {
    hold.release();
  }
}

/** Superuser URL of the platform that runs on the data folder, waiting while it starts; null when none runs. */
async function runningPlatform(settings: Settings): Promise<string | null> {
  const giveUpMs = Date.now() + START_LIMIT_MS;
  for (;;) {
    const holder = readHolder(settings.DATA_DIR);
    if (holder?.purpose !== 'platform') return null;
    if (holder.adminUrl) {
      checkMasterKey(settings, holder);
      return holder.adminUrl;
    }
    if (Date.now() > giveUpMs) throw new OperatorError(`The platform (process ${holder.pid}) does not become ready`);
    await wait(50);
  }
}

/** With another key, the command could neither connect nor write data that the platform can read. */
function checkMasterKey(settings: Settings, holder: Holder): void {
  // A platform of an earlier release has published no ids.
  if ((holder.masterKeyIds as string[] | undefined)?.includes(loadMasterKeys(settings).id)) return;
  throw new OperatorError(
    `The running platform (process ${holder.pid}) uses another master key: restart it, or set MASTER_KEY to the one it was started with`,
  );
}

async function checkDatabase(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const name = `${hostname}:${port || 5432}${pathname}`;
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks later is reported by the query; without a listener it would crash the process.
  client.on('error', () => undefined);
  let version: number;
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    version = Number(rows[0]?.server_version_num);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The database ${name} cannot be reached: ${message || code}`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
  if (version < OLDEST_VERSION) {
    throw new OperatorError(
      `The database ${name} is PostgreSQL ${Math.floor(version / 10_000)}; the platform needs 15 or newer`,
    );
  }
}
