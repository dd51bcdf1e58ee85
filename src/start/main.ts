import { operatorText } from '#libs/config/operator-error.js';
import { readSettings } from '#libs/config/settings.js';
import { NODE_FLAGS } from '#src/platform/node-flags.js';
import { ChildStartError } from './child.js';
import { runPlatform } from './supervisor.js';

/**
 * Resolves when the platform should stop: on SIGINT (Ctrl-C), SIGTERM, SIGHUP (terminal closed), and when the parent
 * process is gone, so that killing npm leaves no processes behind.
 */
function untilStopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    if (process.channel) process.once('disconnect', () => resolve());
    if (process.env['npm_lifecycle_event']) {
      const parent = process.ppid;
      const timer = setInterval(() => process.ppid !== parent && resolve(), 500);
      timer.unref();
    }
  });
}

// Ignore a closed pipe, as in `npm start | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  const print = (text: string): void => void process.stdout.write(text);
  // `npm run dev`: Node restarts API and worker when a loaded module changes.
  const watch = process.argv.includes('--watch') ? ['--watch', '--watch-preserve-output'] : [];
  await runPlatform(readSettings(), process.env, untilStopRequested(), print, [...NODE_FLAGS, ...watch]);
  process.exitCode = 0;
} catch (error) {
  if (!(error instanceof ChildStartError)) process.stderr.write(`${operatorText(error)}\n`);
  process.exitCode = 1;
}
process.exit();
