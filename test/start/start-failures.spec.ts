import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { OperatorError } from '#libs/config/operator-error.js';
import { readSettings } from '#libs/config/settings.js';
import { OLDEST_NODE } from '#src/platform/node-version.js';
import { holdDataFolder, readHolder } from '#src/start/data-folder.js';
import { withDatabase } from '#src/start/database.js';
import { runPlatform } from '#src/start/supervisor.js';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const NOBODY_STOPS_IT = new Promise<void>(() => undefined);

/** Starts the platform and returns the line of its failure. */
async function failureOf(env: NodeJS.ProcessEnv): Promise<string> {
  const error: unknown = await runPlatform(readSettings(env), env, NOBODY_STOPS_IT, () => undefined).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  return (error as OperatorError).message;
}

afterAll(removeFolders);

describe('npm start fails with one line', () => {
  it('when the port is in use, before anything is started', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const squatter = createServer().listen(0, '127.0.0.1');
    await until(() => squatter.listening);
    const { port } = squatter.address() as AddressInfo;
    const line = await failureOf({ PORT: String(port), DATA_DIR: dataDir });
    expect(line).toBe(`Port ${port} on 127.0.0.1 is already in use; set PORT or HOST`);
    expect(readHolder(dataDir)).toBeNull();
    squatter.close();
  });

  it('when the address does not belong to this machine', async () => {
    const line = await failureOf({ HOST: '203.0.113.1', DATA_DIR: temporaryFolder() });
    expect(line).toBe('Port 3000 on 203.0.113.1 cannot be used (EADDRNOTAVAIL); set PORT or HOST');
  });

  it('when a running platform uses the data folder', async () => {
    const dataDir = temporaryFolder();
    const hold = await holdDataFolder(dataDir, 'platform');
    hold.publish({ apiUrl: 'http://127.0.0.1:3000' });
    expect(await failureOf({ PORT: '0', DATA_DIR: dataDir })).toBe(
      `The data folder ${dataDir} is in use by a running platform (process ${process.pid} at http://127.0.0.1:3000): stop it, or set DATA_DIR to another folder`,
    );
    hold.release();
  });

  it('when the data folder cannot be created', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await failureOf({ PORT: '0', DATA_DIR: join(file, 'data') })).toMatch(
      /^The data folder \S+ cannot be created: [^\n]+$/,
    );
  });

  it('when the database is unreachable, without revealing its password', async () => {
    const env = { PORT: '0', DATA_DIR: temporaryFolder(), DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/there' };
    expect(await failureOf(env)).toBe(
      'The database 127.0.0.1:1/there cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    );
  });
});

describe('the data folder', () => {
  it('is taken over from a process that was killed', async () => {
    const dataDir = temporaryFolder();
    const dead = { pid: 4_194_304, birth: 'long ago', purpose: 'platform', children: [], adminUrl: 'postgres://old' };
    writeFileSync(join(dataDir, 'runtime.json'), JSON.stringify(dead));
    expect(readHolder(dataDir)).toBeNull();
    const hold = await holdDataFolder(dataDir, 'platform');
    expect(hold.predecessor).toEqual(dead);
    expect(readHolder(dataDir)).toMatchObject({ pid: process.pid, adminUrl: null });
    expect(statSync(join(dataDir, 'runtime.json')).mode & 0o777).toBe(0o600);
    hold.release();
  });

  it('is taken over when another process has the id of the killed one', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'runtime.json'), JSON.stringify({ pid: process.pid, birth: 'long ago', children: [] }));
    (await holdDataFolder(dataDir, 'platform')).release();
  });

  it('is taken over when its file is truncated', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, 'runtime.json'), '{"pi');
    (await holdDataFolder(dataDir, 'platform')).release();
  });

  it('is waited for while an operator command uses it', async () => {
    const dataDir = temporaryFolder();
    const command = await holdDataFolder(dataDir, 'command');
    let taken = false;
    const platform = holdDataFolder(dataDir, 'platform').then((hold) => {
      taken = true;
      return hold;
    });
    await new Promise(setImmediate);
    expect(taken).toBe(false);
    command.release();
    (await platform).release();
  });
});

describe('an operator command', () => {
  it('uses the database of the running platform', async () => {
    const settings = readSettings({ DATA_DIR: temporaryFolder() });
    const hold = await holdDataFolder(settings.DATA_DIR, 'platform');
    const { ids } = loadMasterKeys(settings);
    hold.publish({ adminUrl: 'postgres://running/platform', masterKeyIds: ids });
    expect(await withDatabase(settings, (url) => Promise.resolve(url))).toBe('postgres://running/platform');
    hold.release();
  });

  it('refuses a master key that differs from that of the running platform', async () => {
    const settings = readSettings({ DATA_DIR: temporaryFolder() });
    const hold = await holdDataFolder(settings.DATA_DIR, 'platform');
    hold.publish({ adminUrl: 'postgres://running/platform', masterKeyIds: ['0123456789abcdef'] });
    await expect(withDatabase(settings, () => Promise.resolve())).rejects.toThrow(/uses another master key/);
    hold.release();
  });
});

const NO_KEYS = { MASTER_KEY: null, MASTER_KEY_PREVIOUS: null };

describe('the master key', () => {
  it('is generated once, readable only by its owner, and reused', () => {
    const dataDir = join(temporaryFolder(), 'data');
    const [key] = loadMasterKeys({ ...NO_KEYS, DATA_DIR: dataDir }).keys;
    expect(key).toHaveLength(32);
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(join(dataDir, 'master.key'), 'utf8'), 'base64')).toEqual(key);
    expect(loadMasterKeys({ ...NO_KEYS, DATA_DIR: dataDir }).keys).toEqual([key]);
  });

  it('is that of MASTER_KEY if set', () => {
    const key = Buffer.alloc(32, 7);
    expect(loadMasterKeys({ ...NO_KEYS, MASTER_KEY: key, DATA_DIR: '/nowhere' }).keys).toEqual([key]);
  });

  it('is refused in one line when its file is damaged', () => {
    const dataDir = temporaryFolder();
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'master.key'), 'short');
    expect(() => loadMasterKeys({ ...NO_KEYS, DATA_DIR: dataDir })).toThrow(/is not 32 bytes in base64$/);
  });
});

describe('on a Node that is too old', () => {
  /** Runs an entry on a Node that says it were this version, and that lacks what the old one lacks. */
  const runOn = (version: string, entry: string) => {
    const old = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
    const preload = `data:text/javascript,${encodeURIComponent(`${old} delete Map.groupBy;`)}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, entry], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it.each(['api', 'worker', 'cli'])('%s says in one line which one it needs, before it loads anything', (process) => {
    const entry = `dist/src/${process}/main.js`;
    expect(runOn('20.19.0', entry)).toEqual({
      status: 1,
      stdout: '',
      stderr: `Node ${OLDEST_NODE} or newer is needed, this is 20.19.0; npm ci brings one along: node_modules/node/bin/node\n`,
    });
    const imported = readFileSync(`src/${process}/main.ts`, 'utf8').match(/^import .*/gm);
    expect(imported).toEqual([`import { requireNode } from '#src/platform/node-version.js';`]);
  });

  it.each(['start', 'test', 'platform', 'dev', 'build', 'bench', 'new-type'])('so does npm run %s', (script) => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(runOn('18.20.0', `scripts/${script}.mjs`)).toEqual({
      status: 1,
      stdout: '',
      stderr: `Node ${engines.node.slice(2)} or newer is needed, this is 18.20.0\n`,
    });
  });

  it('the one that the processes need is the one that the project brings along and the image has', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: { node: string };
    };
    expect(Number.parseInt(devDependencies.node, 10)).toBe(OLDEST_NODE);
    const images = readFileSync('docker/Dockerfile', 'utf8').match(/node:\d+/g);
    expect(new Set(images)).toEqual(new Set([`node:${OLDEST_NODE}`]));
    expect(readFileSync('docs/guides/operating.md', 'utf8')).toContain(`Node ${OLDEST_NODE} or newer`);
  });
});

describe('the scripts of a first start', () => {
  it.each(['project.mjs', 'bundle.mjs'])('%s loads on the Node of the host, which runs it', (script) => {
    const own = (folder: string) => !folder.includes('node_modules');
    const PATH = process.env['PATH']!.split(delimiter).filter(own).join(delimiter);
    const load = `await import(${JSON.stringify(pathToFileURL(`scripts/${script}`).href)})`;
    const { stderr, status } = spawnSync('node', ['--input-type=module', '--eval', load], {
      encoding: 'utf8',
      env: { PATH },
    });
    expect([stderr, status]).toEqual(['', 0]);
  });
});
