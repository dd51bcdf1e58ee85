import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const LIMIT_MS = 120_000;

const copy = join(temporaryFolder(), 'project');
const dataDir = join(copy, '.data');
let dev: ChildProcess;

/** Ids of the copy's processes whose command has the text in it; Node's watchers, which have `--watch` in theirs, aside. */
function pids(text: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const ours = readFileSync(`/proc/${name}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`);
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return ours && command.includes(text) && !command.includes('--watch\0');
    } catch {
      return false; // no process, or one that has ended or is not ours to look at
    }
  });
}

const postgres = (): string => readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]!;

/** Changes a source file and waits until the named process is another one. */
async function restartOf(entry: string, sourceFile: string): Promise<void> {
  const [before] = pids(entry);
  appendFileSync(join(copy, sourceFile), '\nexport const CHANGED = true;\n');
  await until(() => pids(entry).length === 1 && pids(entry)[0] !== before, LIMIT_MS);
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('npm run dev', () => {
  beforeAll(async () => {
    for (const name of [
      'src',
      'libs',
      'scripts',
      'ormconfig.ts',
      'package.json',
      'package-lock.json',
      'nest-cli.json',
      'tsconfig.json',
      '.swcrc',
    ])
      cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    dev = spawn(process.execPath, ['scripts/dev.mjs'], {
      cwd: copy,
      env: { ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    dev.stdout!.on('data', (text: Buffer) => (printed += text.toString()));
    dev.stderr!.on('data', (text: Buffer) => (printed += text.toString()));
    await until(() => printed.includes('Ready in') || dev.exitCode !== null, LIMIT_MS);
    if (dev.exitCode !== null) throw new Error(`It did not start: ${printed}`);
  }, LIMIT_MS);

  afterAll(async () => {
    dev.kill('SIGKILL');
    await until(() => pids('').length === 0, LIMIT_MS);
    removeFolders();
  }, LIMIT_MS);

  it(
    'starts the API again when a source of its own changes, and nothing else',
    async () => {
      const others = [pids('src/worker/main.js'), postgres(), pids('src/start/main.js')];
      await restartOf('src/api/main.js', 'src/api/health.ts');
      expect([pids('src/worker/main.js'), postgres(), pids('src/start/main.js')]).toEqual(others);
    },
    LIMIT_MS,
  );

  it(
    'starts the worker again likewise',
    async () => {
      const others = [pids('src/api/main.js'), postgres()];
      await restartOf('src/worker/main.js', 'src/worker/upkeep.ts');
      expect([pids('src/api/main.js'), postgres()]).toEqual(others);
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing behind when it is told to stop',
    async () => {
      dev.kill('SIGINT');
      await until(() => dev.exitCode !== null, LIMIT_MS);
      expect(dev.exitCode).toBe(0);
      expect(pids('')).toEqual([]);
    },
    LIMIT_MS,
  );
});
