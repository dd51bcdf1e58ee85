import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '#libs/embedded/free-port.js';
import { until } from '#libs/testing/until.js';

const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];

function findProgram(): string | null {
  for (const folder of PLACES) {
    try {
      accessSync(join(folder, 'pgbouncer'), constants.X_OK);
      return join(folder, 'pgbouncer');
    } catch {
      // not in this folder
    }
  }
  return null;
}

/** Whether this machine has PgBouncer: `(pgbouncerAvailable() ? describe : describe.skip)(...)`. */
export function pgbouncerAvailable(): boolean {
  return findProgram() !== null;
}

/** A disposable PgBouncer in transaction mode, in front of the database of one test file. */
export class PgBouncer {
  private readonly onExit = (): void => void this.child.kill('SIGKILL');

  private constructor(
    /** The database through the pooler. */
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    process.once('exit', this.onExit);
  }

  /**
   * @param databaseUrl role, password and database for its clients
   * @param connections to PostgreSQL that all clients share
   * @throws Error when there is no PgBouncer or it does not respond in time.
   */
  static async start(databaseUrl: string, connections: number): Promise<PgBouncer> {
    const program = findProgram();
    if (!program) throw new Error('pgbouncer is not on the PATH');
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const url = new URL(databaseUrl);
    const { hostname, port, username, password } = url;
    url.port = String(await findFreePort(null));
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      `listen_addr = ${hostname}`,
      `listen_port = ${url.port}`,
      'unix_socket_dir =',
      'auth_type = scram-sha-256',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction',
      `default_pool_size = ${connections}`,
    ];
    writeFileSync(join(folder, 'settings'), settings.join('\n'));
    writeFileSync(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`);
    chmodSync(folder, 0o755); // it refuses to run as root and reads its files as another user
    const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : [];
    const child = spawn(program, ['--quiet', ...user, join(folder, 'settings')], { stdio: 'ignore' });
    const pooler = new PgBouncer(url.href, child, folder);
    await until(() => pooler.answers());
    return pooler;
  }

  /** Stops the pooler and removes its folder; call it in `afterAll`. */
  async dispose(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
    process.off('exit', this.onExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url });
    return client
      .connect()
      .then(() => true)
      .catch(() => false)
      .finally(() => client.end().catch(() => undefined));
  }
}
