import { operatorText } from '#libs/config/operator-error.js';
import { readSettings } from '#libs/config/settings.js';
import { NODE_FLAGS } from '#src/platform/node-flags.js';
import { ChildStartError } from './child.js';
import { runPlatform } from './supervisor.js';

/**
 * Resolves when the platform is to stop: on SIGINT (Ctrl-C), SIGTERM, SIGHUP (the terminal is closed), and when the
 * process that started this one is gone, so that killing npm leaves nothing behind.
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

// A reader that went away (`npm start | head`) is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
try {
  const print = (text: string): void => void process.stdout.write(text);
  // `npm run dev`: Node starts API and worker again when a module that they have loaded changes.
  const watch = process.argv.includes('--watch') ? ['--watch', '--watch-preserve-output'] : [];
  await runPlatform(readSettings(), process.env, untilStopRequested(), print, [...NODE_FLAGS, ...watch]);
  process.exitCode = 0;
} catch (error) {
  if (!(error instanceof ChildStartError)) process.stderr.write(`${operatorText(error)}\n`);
  process.exitCode = 1;
}
process.exit();
