import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const PARTS = ['src', 'libs', 'scripts', 'test', 'package.json', 'tsconfig.json', 'jest.config.mjs', '.swcrc'];
const LIMIT_MS = 300_000;

const copy = join(temporaryFolder(), 'project');
afterAll(removeFolders);

function run(script: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join('scripts', script), ...args], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: '' },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

it(
  'npm run new:type creates a type that passes its tests',
  () => {
    for (const name of PARTS) cpSync(name, join(copy, name), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    expect(run('new-type.mjs', ['sales', 'territory', 'territories'])).toMatchObject({ status: 0 });
    const tests = run('test.mjs', ['test/e2e/sales/territories']);
    expect(tests).toMatchObject({ status: 0, output: expect.stringMatching(/^[1-9]\d* passed, 0 failed$/m) });
  },
  LIMIT_MS,
);

it('npm run new:type does not overwrite existing files', () => {
  expect(run('new-type.mjs', ['sales', 'product', 'products'])).toMatchObject({
    status: 1,
    output: expect.stringContaining('The folder src/areas/sales/products already exists.'),
  });
});
