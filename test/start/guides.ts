import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const COMMANDS = /^```sh\n(.*?)^```/gms;
const PROGRAMS = /^```js\n(.*?)^```/gms;
/** Blocks that a reader runs elsewhere: in containers, or as a program that stays. */
const ELSEWHERE = /docker |npm start/;
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
  for (const part of ['docs', 'verify', 'receiver']) symlinkSync(resolve(part), join(folder, part));
  // In place of npm, whose start takes as long as the command.
  mkdirSync(join(folder, 'bin'));
  const command = `#!/bin/sh\nshift 4\nexec '${process.execPath}' '${resolve('dist/src/cli/main.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/npm'), command, { mode: 0o755 });
  return folder;
}

/** Pastes all commands of a guide into one shell, in order. */
export async function runGuide(guide: string, folder: string, url: string, dataDir: string): Promise<GuideRun> {
  const blocks = [...readFileSync(guide, 'utf8').matchAll(COMMANDS)].map(([, block]) => block!);
  const script = blocks.filter((block) => !ELSEWHERE.test(block)).join('\n');
  const { HOME = '/', PATH = '' } = process.env;
  const env = { HOME, PATH: `${folder}/bin:${PATH}`, BASE: url, DATA_DIR: dataDir, TMPDIR: folder };
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
