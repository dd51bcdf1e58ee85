import { readSettings } from '#libs/config/settings.js';
import { runCommandLine } from './command-line.js';

// Ignore a closed pipe, as in `platform tenant list | head -1`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { exitCode, stdout, stderr } = await runCommandLine(process.argv.slice(2), { settings: readSettings });
if (stderr !== '') await new Promise((resolve) => process.stderr.write(stderr, resolve));
if (stdout !== '') await new Promise((resolve) => process.stdout.write(stdout, resolve));
// Do not wait for handles that a command has left open.
process.exit(exitCode);
