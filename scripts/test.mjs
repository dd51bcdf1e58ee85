// npm test [-- <Jest arguments>]: runs the suite on the project's Node. A run of everything prints what each group of
// suites costs. The last line is "N passed, N failed[, N skipped]".
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureInstalled, findNode, main, run } from './project.mjs';
import { budgetTable } from './test-budget.mjs';

/**
 * Directory of the databases of a run. Each has thousands of files, and creating files on ext4 slows down after many
 * deletions: half of the time of a run. A memory file system avoids this.
 */
const MEMORY = '/dev/shm';
/** Twice the space that a run needs there. */
const NEEDED_BYTES = 3 * 1024 ** 3;

await main(async (args) => {
  await ensureInstalled();
  // All temporary files go here, to be removed even if the run is interrupted. PostgreSQL, which runs under another
  // account when started by root, must be able to traverse it.
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'platform-test-'));
  chmodSync(folder, 0o711);
  const report = join(folder, 'report.json');
  // Threads inherit the option, but not what the process has imported.
  const typescript = ['--import', './test/native-typescript.mjs'];
  const jest = [...typescript, 'node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args];
  let interrupted = true;
  try {
    const code = await run(findNode(), jest, {
      env: { ...process.env, TMPDIR: folder },
      // Jest reports progress on stderr; its stdout only names the report file.
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    interrupted = code > 128;
    const result = read(report);
    const { passed, failed, skipped } = countsOf(result);
    if (result && args.length === 0) process.stdout.write(budgetTable(result));
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return code || (failed > 0 || passed === 0 ? 1 : 0);
  } finally {
    // Servers of an interrupted run exit on their own, with a delay.
    if (interrupted) await wait(3_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

/** Whether there is enough memory for a run. */
function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // not on Linux
  }
}

/** The report of Jest; null if it wrote none. */
function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return null;
  }
}

/** A file that failed to run counts as one failed test, and so does a run without a report. */
function countsOf(result) {
  if (!result) return { passed: 0, failed: 1, skipped: 0 };
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}
