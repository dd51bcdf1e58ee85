import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const LIMIT_MS = 120_000;

const copy = join(temporaryFolder(), 'project');
const dataDir = join(copy, '.data');
let dev: ChildProcess;
let printed = '';

/** Processes of the copy. */
function processes(): { pid: string; command: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const ours = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`DATA_DIR=${dataDir}`);
      return ours ? [{ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }] : [];
    } catch {
      return []; // no process, or one that has ended or cannot be inspected
    }
  });
}

/** Id of the process that runs this entry, not of Node's watcher; null during a restart. */
function pidOf(entry: string): string | null {
  const found = processes().find(({ command }) => command.includes(entry) && !command.includes('\0--watch\0'));
  return found?.pid ?? null;
}

const postgres = (): string => readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]!;

const timesPrinted = (text: string): number => printed.split(text).length - 1;

/** Changes a source file and waits until the process that uses it has been replaced. */
async function restartOf(entry: string, sourceFile: string): Promise<void> {
  const before = pidOf(entry);
  expect(before).not.toBeNull();
  appendFileSync(join(copy, sourceFile), '\nexport const CHANGED = true;\n');
  await until(() => ![null, before].includes(pidOf(entry)), LIMIT_MS);
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
    dev.stdout!.on('data', (text: Buffer) => (printed += text.toString()));
    dev.stderr!.on('data', (text: Buffer) => (printed += text.toString()));
    await until(() => printed.includes('Ready in') || dev.exitCode !== null, LIMIT_MS);
    if (dev.exitCode !== null) throw new Error(`It did not start: ${printed}`);
  }, LIMIT_MS);

  afterAll(async () => {
    dev.kill('SIGKILL');
    await until(() => processes().length === 0, LIMIT_MS);
    removeFolders();
  }, LIMIT_MS);

  it(
    'restarts only the API when one of its sources changes',
    async () => {
      const others = () => [pidOf('src/worker/main.js'), postgres()];
      const before = others();
      await restartOf('src/api/main.js', 'src/api/health.ts');
      await until(() => timesPrinted('Server listening') === 2, LIMIT_MS);
      expect(others()).toEqual(before);
      expect(timesPrinted('Restarting ')).toBe(1);
    },
    LIMIT_MS,
  );

  it(
    'restarts only the worker when one of its sources changes',
    async () => {
      const others = () => [pidOf('src/api/main.js'), postgres()];
      const before = others();
      await restartOf('src/worker/main.js', 'src/worker/worker.module.ts');
      expect(others()).toEqual(before);
    },
    LIMIT_MS,
  );

  it(
    'leaves no processes behind when it stops',
    async () => {
      dev.kill('SIGINT');
      await until(() => dev.exitCode !== null, LIMIT_MS);
      expect(dev.exitCode).toBe(0);
      expect(processes()).toEqual([]);
    },
    LIMIT_MS,
  );
});
