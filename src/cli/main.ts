import { readSettings } from '#libs/config/settings.js';
import { runCommandLine } from './command-line.js';

// A reader that went away (`platform tenant list | head -1`) is no reason to fail.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const { exitCode, stdout, stderr } = await runCommandLine(process.argv.slice(2), { settings: readSettings });
if (stderr !== '') await new Promise((resolve) => process.stderr.write(stderr, resolve));
if (stdout !== '') await new Promise((resolve) => process.stdout.write(stdout, resolve));
// Whatever a command has left open must not keep the operator waiting.
process.exit(exitCode);
