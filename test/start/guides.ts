import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const COMMANDS = /^```sh\n(.*?)^```/gms;
const PROGRAMS = /^```js\n(.*?)^```/gms;
/** Blocks that a reader runs elsewhere: in containers, as a program that stays, or where their first line says. */
const ELSEWHERE = /^docker |^npm start|^# Elsewhere: |^\w+=\S+ npm start/m;
/** Ports at which programs of the guides listen. */
const PORTS = /\b40[01]0\b/g;
/** Names each command that fails, except curl for a status that it was told to fail for. */
const TELL = `trap '[ $? = 22 ] || echo "failed: $BASH_COMMAND" >&2' ERR\n`;
const REFUSED = /curl: \(22\) .* (4\d\d)$/gm;
const EXPECTED = /# (4\d\d)\b/g;

/** What running the commands of a guide has shown. */
export interface GuideRun {
  /** Statuses of the responses that refused a request, and those that the comments of the guide announce. */
  refused: string[];
  announced: string[];
  /** Other lines of errors. */
  errors: string[];
}

/** Makes a folder from which guides can be run: the repository with the demo tenant of a data folder. */
export function guideFolder(folder: string, dataDir: string): string {
  mkdirSync(join(folder, '.data'), { recursive: true });
  cpSync(join(dataDir, 'demo.json'), join(folder, '.data/demo.json'));
  for (const part of ['docs', 'verify', 'receiver', 'scripts', 'dist']) symlinkSync(resolve(part), join(folder, part));
  // In place of npm, whose start takes as long as the command.
  mkdirSync(join(folder, 'bin'));
  const command = `#!/bin/sh\nshift 4\nexec '${process.execPath}' '${resolve('dist/src/cli/main.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/npm'), command, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'bin/node'));
  return folder;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Pastes all commands of a guide into one shell, in order, with other ports. */
export async function runGuide(guide: string, folder: string, variables: Record<string, string>): Promise<GuideRun> {
  const blocks = [...readFileSync(guide, 'utf8').matchAll(COMMANDS)].map(([, block]) => block!);
  const own = blocks.filter((block) => !ELSEWHERE.test(block)).join('\n');
  const ports = new Map<string, number>();
  for (const port of new Set(own.match(PORTS))) ports.set(port, await freePort());
  const script = TELL + own.replaceAll(PORTS, (port) => String(ports.get(port)));
  const { HOME = '/', PATH = '' } = process.env;
  const env = { HOME, PATH: `${folder}/bin:${PATH}`, TMPDIR: folder, ...variables };
  const shell = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors = await text(shell.stderr);
  return {
    refused: [...errors.matchAll(REFUSED)].map(([, status]) => status!),
    announced: [...script.matchAll(EXPECTED)].map(([, status]) => status!),
    errors: errors.replaceAll(REFUSED, '').split('\n').filter(Boolean),
  };
}

/** The JavaScript programs of a guide. */
export function programsOf(guide: string): string[] {
  return [...readFileSync(guide, 'utf8').matchAll(PROGRAMS)].map(([, block]) => block!);
}
