// A private Redis server: loopback only, nothing on disk.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findFreePort } from '#libs/embedded/free-port.js';
import { holds } from './site.mjs';

const START_LIMIT_MS = 20_000;

/** Path of `redis-server`; null when it is not installed. */
export function findRedis() {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, 'redis-server'), constants.X_OK);
      return join(folder, 'redis-server');
    } catch {
      // not in this folder
    }
  }
  return null;
}

/** Starts on a free port, which it keeps across restarts. */
export class Redis {
  #folder = mkdtempSync(join(tmpdir(), 'platform-faults-redis-'));
  #port;
  #child = null;

  static async open() {
    const redis = new Redis();
    redis.#port = await findFreePort(null);
    await redis.start();
    return redis;
  }

  get url() {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** Starts the server, empty. */
  async start() {
    const options = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#folder, '--save', ''];
    this.#child = spawn(findRedis(), [...options, '--appendonly', 'no'], { stdio: 'ignore' });
    const up = await holds(
      async () => (await this.#command('PING').catch(() => '')).startsWith('+PONG'),
      START_LIMIT_MS,
    );
    if (!up) throw new Error('redis-server does not answer');
  }

  async stop() {
    const child = this.#child;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  /** Deletes every key. */
  async wipe() {
    await this.#command('FLUSHALL');
  }

  async close() {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #command(line) {
    const socket = connect(this.#port, '127.0.0.1');
    try {
      socket.write(`${line}\r\n`);
      return String(await once(socket, 'data').then(([data]) => data));
    } finally {
      socket.destroy();
    }
  }
}
