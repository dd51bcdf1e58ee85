// npm test [-- <Jest arguments>]: the suite on the project's Node. The last line is "N passed, N failed[, N skipped]".
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, findNode, main, run } from './project.mjs';

await main(async (args) => {
  await ensureInstalled();
  const folder = mkdtempSync(join(tmpdir(), 'platform-report-'));
  const report = join(folder, 'report.json');
  const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${report}`, ...args];
  try {
    const code = await run(findNode(), jest, {
      env: { ...process.env, NODE_OPTIONS: nodeOptions.filter(Boolean).join(' ') },
      // Jest's progress goes to stderr; on stdout it would only say where the report is.
      stdio: ['inherit', 'ignore', 'inherit'],
    });
    const { passed, failed, skipped } = read(report);
    process.stdout.write(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
    return code || (failed > 0 || passed === 0 ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

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
