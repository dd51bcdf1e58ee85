import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { until } from './until.js';

function findServer(): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    for (const name of ['redis-server', 'valkey-server']) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // not in this folder
      }
    }
  return null;
}

/** Whether this machine has a Redis or Valkey server: `(redisAvailable() ? describe : describe.skip)(...)`. */
export function redisAvailable(): boolean {
  return findServer() !== null;
}

/**
 * A disposable Redis server for one test file: loopback only, nothing on disk, killed with the process that started it.
 */
export class RedisServer {
  private child: ChildProcess | null = null;
  private readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));
  private readonly onExit = (): void => void this.child?.kill('SIGKILL');

  private constructor(
    private readonly program: string,
    /** Loopback port; the same after a restart. */
    readonly port: number,
    private readonly cluster: boolean,
  ) {
    process.once('exit', this.onExit);
  }

  /**
   * Starts a server on a free port.
   * @param options.cluster as a cluster of one node that owns every slot
   * @throws Error when there is no server on the PATH or it does not respond in time.
   */
  static async start(options: { cluster?: boolean } = {}): Promise<RedisServer> {
    const program = findServer();
    if (!program) throw new Error('neither redis-server nor valkey-server is on the PATH');
    const server = new RedisServer(program, await freePort(options.cluster ?? false), options.cluster ?? false);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the server again, empty, after {@link stop} or {@link kill}. */
  async start(): Promise<void> {
    const options = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', ''];
    // A node without peers does not know its own address, which clients need.
    if (this.cluster) options.push('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
    this.child = spawn(this.program, [...options, '--appendonly', 'no', '--daemonize', 'no'], { stdio: 'ignore' });
    await this.waitFor('PING', '+PONG');
    if (!this.cluster) return;
    await this.command('CLUSTER ADDSLOTSRANGE 0 16383');
    await this.waitFor('CLUSTER INFO', 'cluster_state:ok');
  }

  /** Shuts the server down; its address refuses connections afterwards. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Kills the server, as in a crash. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Stops the server from responding, with its connections open, until {@link resume}. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  /** Resumes a paused server. */
  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** Deletes all keys. */
  async wipe(): Promise<void> {
    await this.command('FLUSHALL');
  }

  /** Stops the server and removes its folder; call it in `afterAll`. */
  async dispose(): Promise<void> {
    await this.kill();
    process.off('exit', this.onExit);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sends one inline command on a separate connection and returns the raw reply. */
  async command(line: string): Promise<string> {
    const socket = connect(this.port, '127.0.0.1');
    try {
      socket.write(`${line}\r\n`);
      const answer = await new Promise<Buffer>((resolve, reject) => {
        socket.once('data', resolve).once('error', reject);
        socket.once('close', () => reject(new Error('redis-server closed the connection without an answer')));
      });
      return answer.toString();
    } finally {
      socket.destroy();
    }
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = null;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGCONT'); // a paused process would not see the signal
    child.kill(signal);
    await exited;
  }

  private async waitFor(line: string, expected: string): Promise<void> {
    await until(async () => (await this.command(line).catch(() => '')).includes(expected));
  }
}

/** A cluster node also listens on its port plus 10,000, which must be a valid port. */
async function freePort(cluster: boolean): Promise<number> {
  for (;;) {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    if (!cluster || port <= 55_535) return port;
  }
}
