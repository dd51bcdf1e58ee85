import { execFileSync } from 'node:child_process';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const PLATFORM = join(process.cwd(), 'dist/src/platform');

afterAll(removeFolders);

/** Runs a process that starts as the worker does, and then does the rest. */
function run(folder: string, rest: string): void {
  const program = `
    import { loadApp } from '${PLATFORM}/app-script.js';
    import { asAtStart, optimize, postponeOptimization } from '${PLATFORM}/optimization.js';
    postponeOptimization();
    const { exports, keepCompiled } = await loadApp('${folder}');
    exports.answer();
    ${rest}`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'pipe' });
}

it('what a worker has compiled by the time that it optimises is taken by one that starts and does not yet', () => {
  const folder = temporaryFolder();
  const compiled = join(folder, 'run.compiled');
  writeFileSync(join(folder, 'run.cjs'), '(function(exports,require,module){module.exports={answer(){return 1}}})');
  run(folder, `optimize(); asAtStart(() => keepCompiled('worked'));`);
  utimesSync(compiled, 1_000_000, 1_000_000);
  run(folder, `keepCompiled('started');`); // writes unless V8 has taken what was there
  expect(statSync(compiled).mtimeMs).toBe(1_000_000_000);
});
