// npm test [-- <Jest arguments>]: the suite on the project's Node. The last line is "N passed, N failed[, N skipped]".
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureInstalled, findNode, main, run } from './project.mjs';

/**
 * Where a run keeps its databases. Each has some thousand files, and ext4 takes longer and longer to find a place for a new one
 * while many have just been deleted: half of the time of a run. In memory it takes none.
 */
const MEMORY = '/dev/shm';
/** Twice what a run takes there. */
const NEEDED_BYTES = 3 * 1024 ** 3;

await main(async (args) => {
  await ensureInstalled();
  // Everything temporary goes here, so that it is removed even if the run is interrupted. PostgreSQL, which root runs as
  // another account, must be able to pass through it.
  const folder = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'platform-test-'));
  chmodSync(folder, 0o711);
  const report = join(folder, 'report.json');
  const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args];
  let interrupted = true;
  try {
    const code = await run(findNode(), jest, {
      env: { ...process.env, TMPDIR: folder },
      // Jest's progress goes to stderr; on stdout it would only say where the report is.
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    interrupted = code > 128;
    const { passed, failed, skipped } = read(report);
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return code || (failed > 0 || passed === 0 ? 1 : 0);
  } finally {
    // Servers of an interrupted run end by themselves, but not at once.
    if (interrupted) await wait(3_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
});

/** Whether a run has room in memory. */
function hasMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false; // not on Linux
  }
}

/** A file that could not be run counts as one failed test, and so does a run that left no report. */
function read(report) {
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    return {
      passed: result.numPassedTests,
      failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
      skipped: result.numPendingTests + result.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
