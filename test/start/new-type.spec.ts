import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const PARTS = [
  'src',
  'libs',
  'scripts',
  'test',
  'package.json',
  'tsconfig.json',
  'jest.config.mjs',
  '.swcrc',
  '.prettierrc.json',
];
const LIMIT_MS = 300_000;
/** A type for each area that has records, and for a new area. */
const TYPES = [
  ['documents', 'stamp', 'stamps'],
  ['finance', 'vendor', 'vendors'],
  ['intelligence', 'data-set', 'data-sets'],
  ['people', 'badge', 'badges'],
  ['proposals', 'clause', 'clauses'],
  ['sales', 'territory', 'territories'],
  ['talent', 'talent-pool', 'talent-pools'],
  ['work', 'shift', 'shifts'],
  ['inventory', 'stock-item', 'stock-items'],
] as const;
const AREA = /area: '([a-z-]+)',/;

const copy = join(temporaryFolder(), 'project');
beforeAll(() => {
  for (const name of PARTS) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
});
afterAll(removeFolders);

function run(script: string, args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join('scripts', script), ...args], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: '' },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

/** Texts of all sources of the copy, by path. */
function sources(): Map<string, string> {
  const files = ['src', 'libs', 'test'].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  return new Map(
    files.filter((file) => file.endsWith('.ts')).map((file) => [file, readFileSync(join(copy, file), 'utf8')]),
  );
}

it('the areas below are all that have plain records', () => {
  const areas = [...sources()]
    .filter(([file, text]) => file.startsWith('src/areas') && text.includes(' = recordType') && AREA.test(text))
    .filter(([, text]) => !/^ *base: '/m.test(text))
    .map(([, text]) => AREA.exec(text)![1]!);
  expect([...new Set(areas), 'inventory'].sort()).toEqual(TYPES.map(([area]) => area).sort());
});

it.each([
  [['sales', 'product', 'products'], 'The folder src/areas/sales/products already exists.'],
  [['sales', 'work-item', 'tasks'], 'The permissions tasks:* already exist'],
  [['sales', 'tax', 'levies'], 'References of another type begin with TAX-'],
  [['field-service', 'visit', 'visits'], 'call the new area field-service by one word'],
  [['settings', 'theme', 'themes'], 'The records of src/areas/settings are not below /api/v1/settings'],
  [['Sales', 'theme', 'themes'], 'Usage: npm run new:type'],
])('npm run new:type refuses %j before it writes anything', (args, line) => {
  const before = sources();
  expect(run('new-type.mjs', args)).toMatchObject({ status: 1, output: expect.stringContaining(line) });
  expect(sources()).toEqual(before);
});

it(
  'npm run new:type creates types that compile and pass their tests, in every area and in a new one, also after the steps of its guide',
  () => {
    const before = sources();
    for (const type of TYPES) expect(run('new-type.mjs', type)).toMatchObject({ status: 0 });
    applyChanges('docs/guides/adding-a-resource.md');
    const changed = [...sources()].filter(([file, text]) => before.get(file) !== text).map(([file]) => file);
    const manifests = ['ai', 'documents', 'finance', 'people', 'proposals', 'sales', 'talent', 'work'];
    expect(changed.filter((file) => before.has(file)).sort()).toEqual(
      ['src/areas/areas.ts', ...manifests.map((area) => `src/areas/${area}/${area}.manifest.ts`)].sort(),
    );
    expect(faultsIn(changed.map((file) => join(copy, file)))).toEqual([]);
    const specs = TYPES.map(([area, , plural]) => `test/e2e/${area}/${plural}`);
    const only = 'are created, searched|are activated once|every group of operations';
    const tests = run('test.mjs', ['--maxWorkers=1', ...specs, 'test/contract', '-t', only]);
    expect(tests).toMatchObject({ status: 0, output: expect.stringMatching(/^11 passed, 0 failed/m) });
  },
  LIMIT_MS,
);

/** Applies the changes that a guide shows to the generated files. @throws Error if a file differs from what it shows. */
function applyChanges(guide: string): void {
  const blocks = [...readFileSync(guide, 'utf8').matchAll(/^```diff\n--- (\S+)\n(.*?)^```$/gms)];
  if (blocks.length === 0) throw new Error(`${guide} shows no changes.`);
  for (const [, pattern, block] of blocks) {
    const [file, ...others] = globSync(pattern!, { cwd: copy }).map((name) => join(copy, name));
    if (file === undefined || others.length > 0) throw new Error(`${pattern} is not one file.`);
    const side = (without: string) =>
      block!.split('\n').filter((line) => !line.startsWith(without)).map((line) => line.slice(1)).join('\n'); // prettier-ignore
    const [before, after] = [side('+'), side('-')];
    const parts = readFileSync(file, 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times what the guide changes:\n${before}`);
    writeFileSync(file, parts.join(after));
  }
}

/** Errors of types in some files of the copy, without those that they import. */
function faultsIn(files: string[]): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as { config: object };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, copy);
  const program = ts.createProgram(files, { ...options, noEmit: true });
  return files.flatMap((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  );
}
