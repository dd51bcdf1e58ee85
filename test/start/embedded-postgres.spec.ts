import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { OperatorError } from '#libs/config/operator-error.js';
import { FAST_SETTINGS, startEmbeddedPostgres } from '#libs/embedded/server.js';
import type { EmbeddedPostgres } from '#libs/embedded/server.js';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const started: EmbeddedPostgres[] = [];

async function start(dataDir: string, settings = FAST_SETTINGS, port?: number): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, settings, ...(port ? { port } : {}) });
  started.push(server);
  return server;
}

async function query(server: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const postmasterPid = (folder: string): number =>
  parseInt(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8'), 10);

/** Folder of an existing cluster, because creating one takes longer than starting it. */
let made: string;
beforeAll(async () => {
  made = temporaryFolder();
  await (await start(made)).stop();
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});
afterAll(removeFolders);

describe('embedded PostgreSQL', () => {
  it('is durable, uses checksums, and has the same collation and encoding on every host', async () => {
    const server = await start(temporaryFolder(), {});
    const [row] = await query(
      server,
      `select current_setting('fsync') fsync, current_setting('synchronous_commit') commits,
              current_setting('data_checksums') checksums, current_setting('server_encoding') encoding,
              current_setting('listen_addresses') listens, current_setting('timezone') timezone, upper('é') upper,
              (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) locale,
              (select string_agg(letter, '' order by letter) from unnest(array['b', 'A', 'a', 'B']) letter) sorted`,
    );
    expect(row).toEqual({
      fsync: 'on',
      commits: 'on',
      checksums: 'on',
      encoding: 'UTF8',
      listens: '127.0.0.1',
      timezone: 'UTC',
      upper: 'É',
      locale: 'b C.UTF-8',
      sorted: 'ABab',
    });
  });

  it('reuses its data, password and port', async () => {
    const first = await start(made);
    await query(first, 'create table found_again as select 42 as answer');
    await first.stop();
    const second = await start(made);
    expect(second.url).toBe(first.url);
    expect(await query(second, 'select answer from found_again')).toEqual([{ answer: 42 }]);
  });

  it('protects password and data from other users', async () => {
    const server = await start(made);
    expect(statSync(join(made, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(made, 'cluster')).mode & 0o777).toBe(0o700);
    const stranger = new URL(server.url);
    stranger.password = 'wrong';
    const client = new pg.Client({ connectionString: stranger.href });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
  });

  it('runs several servers side by side', async () => {
    const servers = await Promise.all([start(made), start(temporaryFolder())]);
    expect(servers[0].port).not.toBe(servers[1].port);
    for (const server of servers) expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('uses another port when that of the last start is taken', async () => {
    const first = await start(made);
    await first.stop();
    const squatter = createServer().listen(first.port, '127.0.0.1');
    const second = await start(made);
    squatter.close();
    expect(second.port).not.toBe(first.port);
  });

  it('reports in one line that a required port is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await until(() => squatter.listening);
    const failure = start(made, FAST_SETTINGS, (squatter.address() as AddressInfo).port);
    await expect(failure).rejects.toThrow(OperatorError);
    await expect(failure).rejects.toThrow(/^The embedded PostgreSQL in \S+ does not start \([^\n]+\)$/);
    squatter.close();
  });

  it('stops a server left running on its folder and keeps its data', async () => {
    const orphan = await start(made);
    await query(orphan, 'create table of_orphan as select 42 as answer');
    const server = await start(made);
    expect(await orphan.ended).toBe('exit 0');
    expect(await query(server, 'select answer from of_orphan')).toEqual([{ answer: 42 }]);
  });

  it('starts after a kill even if another process has the id of the killed one', async () => {
    const killed = await start(made, {});
    await query(killed, 'create table of_killed as select 42 as answer');
    const file = join(made, 'cluster', 'postmaster.pid');
    const content = readFileSync(file, 'utf8');
    process.kill(postmasterPid(made), 'SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    writeFileSync(file, content.replace(/^\d+/, String(process.pid)));
    const server = await start(made, {});
    expect(await query(server, 'select answer from of_killed')).toEqual([{ answer: 42 }]);
  });

  it('starts over when the creation of the cluster was interrupted', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'draft-1234', 'base'), { recursive: true });
    await start(folder);
    expect(existsSync(join(folder, 'draft-1234'))).toBe(false);
  });

  it('reports in one line why a damaged cluster does not start', async () => {
    const version = join(made, 'cluster', 'PG_VERSION');
    const content = readFileSync(version);
    writeFileSync(version, '12\n');
    const failure = start(made);
    await expect(failure).rejects.toThrow(OperatorError);
    await expect(failure).rejects.toThrow(/does not start \(database files are incompatible with server\)$/);
    writeFileSync(version, content);
  });

  it('stops with the process that started it and removes a temporary folder', async () => {
    const folder = temporaryFolder();
    const root = new URL('../../', import.meta.url);
    const child = spawn(process.execPath, [
      '--import',
      new URL('test/native-typescript.mjs', root).href,
      '--input-type=module',
      '--eval',
      `const { startEmbeddedPostgres, FAST_SETTINGS } = await import('${new URL('libs/embedded/server.ts', root).href}');
       await startEmbeddedPostgres({ dataDir: '${folder}', settings: FAST_SETTINGS, temporary: true });
       process.kill(process.pid, 'SIGKILL');`,
    ]);
    expect(await text(child.stderr)).toBe('');
    await until(() => !existsSync(folder));
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? it : it.skip)('runs as root in a folder that others may not enter', async () => {
    const locked = temporaryFolder();
    const server = await start(join(locked, 'postgres'));
    expect(statSync(locked).mode & 0o777).toBe(0o700);
    expect(statSync(join(locked, 'postgres', 'cluster')).uid).not.toBe(0);
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
