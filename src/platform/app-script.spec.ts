import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadApp } from './app-script.js';

interface App {
  answer: () => string;
}

let folder: string;
let compiled: string;
let builds = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'app-'));
  compiled = join(folder, 'run.compiled');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As the build leaves an app; `answer` is compiled when it is first called. */
function build(answer: string): void {
  const script = join(folder, 'run.cjs');
  writeFileSync(
    script,
    `(function(exports,require,module,__url){module.exports={answer(){return "${answer} "+require("node:path").basename(__url)}}})`,
  );
  utimesSync(script, 1_000_000, 1_000_000 + ++builds);
}

async function started(): Promise<string> {
  const { exports, keepCompiled } = await loadApp<App>(folder);
  const answer = exports.answer();
  keepCompiled('started');
  return answer;
}

it('runs the script, and leaves what was compiled to the next start, which leaves it as it is', async () => {
  build('one');
  expect(await started()).toBe('one run.cjs');
  const kept = readFileSync(compiled, 'latin1');
  expect(kept).toContain('answer');
  expect(statSync(compiled).mode & 0o777).toBe(0o600);
  utimesSync(compiled, 1_000_000, 1_000_000);
  expect(await started()).toBe('one run.cjs');
  expect(statSync(compiled).mtimeMs).toBe(1_000_000_000);
});

it('leaves what was compiled once more when it has worked, and what such a process has left as it is', async () => {
  build('one');
  await started();
  const { exports, keepCompiled } = await loadApp<App>(folder);
  keepCompiled('started');
  const ofStart = readFileSync(compiled);
  expect(exports.answer()).toBe('one run.cjs');
  keepCompiled('worked');
  const ofWork = readFileSync(compiled);
  expect(ofWork.equals(ofStart)).toBe(false);
  const next = await loadApp<App>(folder);
  expect(next.exports.answer()).toBe('one run.cjs');
  utimesSync(compiled, 1_000_000, 1_000_000);
  for (const stage of ['started', 'worked'] as const) next.keepCompiled(stage);
  expect(statSync(compiled).mtimeMs).toBe(1_000_000_000);
});

it('runs nothing of an earlier build, not even of one that was as long', async () => {
  build('one');
  await started();
  const kept = readFileSync(compiled);
  build('two');
  expect(await started()).toBe('two run.cjs');
  expect(readFileSync(compiled).equals(kept)).toBe(false);
});

it('makes anew what is damaged', async () => {
  build('one');
  await started();
  const kept = readFileSync(compiled);
  const flipped = Buffer.from(kept);
  flipped[kept.length - 9]! ^= 1;
  for (const damaged of [flipped, kept.subarray(0, -9), Buffer.alloc(3)]) {
    writeFileSync(compiled, damaged);
    expect(await started()).toBe('one run.cjs');
    expect(readFileSync(compiled).equals(damaged)).toBe(false);
  }
});

it('does without where it cannot be kept, and leaves no part of it', async () => {
  build('one');
  mkdirSync(compiled);
  expect(await started()).toBe('one run.cjs');
  expect(readdirSync(folder).toSorted()).toEqual(['run.cjs', 'run.compiled']);
});

it('loads the modules where they were not joined', async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'run.js'), 'export const answer = () => "modules";');
  expect(await started()).toBe('modules');
});
