// The environment of fault scenarios: a database, and API and worker as real processes of the built project.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { request } from 'undici';
import { generateKey } from '#libs/auth/api-key.js';
import { readSettings } from '#libs/config/settings.js';
import { startEmbeddedPostgres } from '#libs/embedded/server.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { MasterKeys } from '#libs/sealing/master-keys.js';
import { Sealer } from '#libs/sealing/sealer.js';
import { migrate } from '#src/database/migrate.js';
import { connectionUrls } from '#src/database/urls.js';
import { NODE_FLAGS } from '#src/platform/node-flags.js';
import { ensureBuilt } from '../../scripts/project.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const READY_LIMIT_MS = 60_000;
let built = null;

/** A migrated database on a private embedded PostgreSQL, which can be restarted. */
export async function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'platform-faults-'));
  const dataDir = join(folder, 'postgres');
  let server = await startEmbeddedPostgres({ dataDir });
  const masterKey = randomBytes(32);
  const settings = readSettings({
    DATABASE_URL: server.url,
    DATA_DIR: folder,
    MASTER_KEY: masterKey.toString('base64'),
  });
  await migrate(server.url, settings);
  const { appUrl, systemUrl } = connectionUrls(settings, server.url);
  return {
    adminUrl: server.url,
    appUrl,
    systemUrl,
    masterKeys: new MasterKeys(masterKey),
    /** `fast` closes connections and flushes everything; `immediate` is a crash with recovery. */
    async restart(mode, downMs) {
      if (mode === 'immediate') {
        process.kill(
          Number(readFileSync(join(dataDir, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]),
          'SIGQUIT',
        );
        await server.ended;
      } else await server.stop();
      await wait(downMs);
      server = await startEmbeddedPostgres({ dataDir, port: server.port });
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One process of the platform. */
class Process {
  #child;

  constructor(child, url, lines) {
    this.#child = child;
    /** What it has logged, at LOG_LEVEL error. */
    this.lines = lines;
    /** Base URL; undefined for a worker. */
    this.url = url;
  }

  get pid() {
    return this.#child.pid;
  }

  get isAlive() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Sends a signal and waits until it exits; returns the exit code (null after SIGKILL) and the duration in ms. */
  async end(signal) {
    const sinceMs = performance.now();
    if (this.isAlive) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    return { code: this.#child.exitCode, ms: Math.round(performance.now() - sinceMs) };
  }
}

/** A database with the processes, tenants and connections of a scenario. */
export class Site {
  #database;
  #children = new Set();
  #workers = new Set();
  #api = null;

  /** @param database its `adminUrl`, `appUrl`, `systemUrl` and `masterKeys`, as returned by {@link openDatabase} */
  constructor(database) {
    this.#database = database;
    /** Superuser connection without row-level security, to read the actual table content. */
    this.admin = new pg.Pool({ connectionString: database.adminUrl, max: 60 });
    this.admin.on('error', () => undefined); // the database may disconnect at any time
    this.admin.on('connect', (client) => void client.on('error', () => undefined));
  }

  /** Connection URL of API processes, with role and password. */
  get appUrl() {
    return this.#database.appUrl;
  }

  /** The API process of the site. */
  api() {
    return (this.#api ??= this.startApi());
  }

  /** Starts another API process; `env` adds or overrides settings. */
  startApi(env = {}) {
    return this.#start('dist/src/api/main.js', { DATABASE_APP_URL: this.#database.appUrl, ...env });
  }

  /** Starts a worker process that runs until {@link endWorkers}; `env` adds or overrides settings. */
  async startWorker(env = {}) {
    const worker = await this.#start('dist/src/worker/main.js', {
      DATABASE_SYSTEM_URL: this.#database.systemUrl,
      ...env,
    });
    this.#workers.add(worker);
    return worker;
  }

  /** Stops the remaining workers before another scenario starts. */
  async endWorkers() {
    await Promise.all([...this.#workers].map((worker) => worker.end('SIGKILL')));
    this.#workers.clear();
  }

  /** Creates tenants with high limits, each with a key with all permissions. */
  async tenants(count) {
    const sealer = new Sealer(null, this.#database.masterKeys);
    return Promise.all(Array.from({ length: count }, () => this.#tenant(sealer)));
  }

  async rows(text, values = []) {
    return (await this.admin.query(text, values)).rows;
  }

  async close() {
    await Promise.all([...this.#children].map((child) => new Process(child).end('SIGKILL')));
    await this.admin.end();
  }

  async #tenant(sealer) {
    const [id, credentialId] = [uuidv7(), uuidv7()];
    const { text: apiKey, keyId, hash } = generateKey('api_key');
    await this.rows(
      `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
       values ($1, $2, $2, 'enterprise', 2000000000, 2000000000, now())`,
      [id, `faults-${randomBytes(6).toString('hex')}`],
    );
    await this.rows(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected,
         allowed_cidrs, created_at) values ($1, $2, 'api_key', $3, $1, 'faults', $4, '{*}', false, '{}', now())`,
      [credentialId, id, keyId, hash],
    );
    const dataKey = sealer.firstKey(id);
    await this.rows(dataKey.text, dataKey.values);
    return { id, apiKey };
  }

  async #start(file, env) {
    await (built ??= ensureBuilt());
    const child = fork(join(root, file), [], {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NODE_ENV: 'development',
        MASTER_KEY: this.#database.masterKeys.keys[0].toString('base64'),
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        LOG_LEVEL: 'error',
        PORT: '0',
        ...env,
      },
      execArgv: NODE_FLAGS,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const lines = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    const stop = new AbortController();
    const outcome = await Promise.race([
      once(child, 'message', { signal: stop.signal }).then(([message]) => message),
      once(child, 'exit', { signal: stop.signal }).then(([code]) => new Error(`${file} ended with ${code}`)),
      wait(READY_LIMIT_MS, new Error(`${file} is not ready`), { signal: stop.signal }),
    ]);
    stop.abort();
    if (outcome instanceof Error) {
      child.kill('SIGKILL'); // a late one would run next to its successor
      throw outcome;
    }
    return new Process(child, outcome.url, lines);
  }
}

/** One request as a tenant; answers status, headers and body. `more` adds headers. */
export async function call({ url }, tenant, method, path, body, more = {}) {
  // Not `fetch`, which needs nearly twice the CPU time on cores shared with the platform.
  const answer = await request(url + path, {
    method,
    headers: { 'x-api-key': tenant.apiKey, ...(body ? { 'content-type': 'application/json' } : {}), ...more },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() };
}

/**
 * Subscribes tenants to their new deals: every second one with ordering per resource, half of these with a rate limit,
 * which uses queue jobs.
 */
export async function subscribe(api, tenants, url, more = {}) {
  for (const [place, tenant] of tenants.entries()) {
    const answer = await call(api, tenant, 'POST', '/api/webhooks/endpoints', {
      url,
      eventTypes: ['sales.deal.created'],
      ordering: place % 2 === 0 ? 'none' : 'per_resource',
      maxPerSecond: place % 4 === 1 ? 1_000 : null,
      ...more,
    });
    if (answer.status !== 201) throw new Error(`The endpoint was rejected: ${JSON.stringify(answer.body)}`);
  }
}

/** Waits until a condition holds; false on timeout. */
export async function holds(condition, limitMs) {
  const giveUpMs = performance.now() + limitMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > giveUpMs) return false;
    await wait(50);
  }
}
