import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { OperatorError } from '#libs/config/operator-error.js';
import { findBinaries } from './binaries.js';
import { makeCluster, openFolder, readPassword } from './cluster.js';
import { findLauncher } from './launcher.js';
import { stopOrphan } from './postmaster.js';
import { startServer, stopServer } from './server-process.js';

/** An embedded PostgreSQL server, on 127.0.0.1. */
export interface EmbeddedPostgres {
  /** Superuser connection to the database `platform`, `postgres://postgres:<password>@127.0.0.1:<port>/platform`. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the server process has exited, with `exit <code>` or the name of the signal. */
  readonly ended: Promise<string>;
  /** Closes all connections, stops the server and removes the folder of a temporary one. Can be called repeatedly. */
  stop(): Promise<void>;
}

/** Settings for disposable servers, without protection against crashes of the machine. */
export const FAST_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/** For every server. The log contains no statements, no values and no errors that are reported to a client. */
const BASE_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** Options of a server. */
export interface EmbeddedPostgresOptions {
  /** Folder used only by this server: `cluster`, `password` (0600), `port`, `server.log`. Created if missing. */
  dataDir: string;
  /** Must be free. Defaults to the port of the last start if free, otherwise any. */
  port?: number;
  /** PostgreSQL settings, e.g. `FAST_SETTINGS`. */
  settings?: Readonly<Record<string, string>>;
  /** Removes the folder when the server stops, even if this process is killed. */
  temporary?: boolean;
}

const DATABASE = 'platform';
const CREATE_DATABASE = 'CREATE DATABASE platform';

/**
 * Starts PostgreSQL 18 from npm's binaries in a separate folder, created on first use: UTF-8, code point order
 * (regardless of the host's locale), data checksums, SCRAM password generated once. It stops with this process, even if
 * that is killed; a server left running on the folder is stopped first. The caller must ensure that only one process
 * uses the folder.
 * @throws OperatorError with one clear line.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The embedded PostgreSQL in ${options.dataDir} cannot be used: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, temporary = false } = options;
  const settings = { ...BASE_SETTINGS, ...options.settings };
  const binaries = findBinaries();
  const folder = openFolder(dataDir);
  const cluster = join(folder, 'cluster');
  const launcher = findLauncher(folder, binaries);
  await stopOrphan(cluster);
  const place = { folder, binaries, launcher, settings };
  const password = existsSync(cluster) ? readPassword(folder) : await makeCluster(place);
  launcher.own(cluster);

  const { server, port } = await startServer({ ...place, fixedPort: options.port ?? null, temporary });
  const stop = async () => {
    await stopServer(server);
    if (temporary) rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/${DATABASE}`;
  try {
    await makeDatabase(url);
    keepPort(folder, port);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, port, ended: server.ended, stop };
}

async function makeDatabase(url: string): Promise<void> {
  const connect = async (database: string) => {
    const target = new URL(url);
    target.pathname = `/${database}`;
    const client = new pg.Client({ connectionString: target.href, connectionTimeoutMillis: 10_000 });
    await client.connect();
    return client;
  };
  try {
    await (await connect(DATABASE)).end();
  } catch (error) {
    if ((error as { code?: string }).code !== '3D000') throw error;
    const client = await connect('postgres');
    await client.query(CREATE_DATABASE).finally(() => client.end());
  }
}

function keepPort(folder: string, port: number): void {
  const path = join(folder, 'port');
  // Removed first, because it may belong to root from an earlier start as root.
  rmSync(path, { force: true });
  writeFileSync(path, `${port}\n`, { mode: 0o600 });
}
