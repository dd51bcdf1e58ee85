// npm run dev: the platform, whose API and worker start again when a source file that they have loaded changes.
// PostgreSQL stays up.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { compile, ensureInstalled, findNode, main } from './project.mjs';

// An editor writes several files, or one in several steps.
const QUIET_MS = 100;
const SOURCE = /(?<!\.spec|\.d)\.ts$/;
// What the supervisor itself has loaded: it starts anew, with its database, and runs new migrations.
const OF_SUPERVISOR = /^src\/(?:database|start)\//;

await main(async () => {
  await ensureInstalled();
  if ((await compile()) !== 0) return 1;
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve('stopped'));
  });
  const changes = watchSources(['src', 'libs']);
  for (;;) {
    const supervisor = spawn(findNode(), ['dist/src/start/main.js', '--watch'], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(supervisor, 'exit').then(() => 'ended');
    let outcome;
    do {
      outcome = await Promise.race([stopped, ended, changes.next()]);
      if (Array.isArray(outcome)) await recompile(outcome);
    } while (Array.isArray(outcome) && !outcome.some((file) => OF_SUPERVISOR.test(file)));
    if (outcome === 'ended') {
      // It has said why: try again when something has changed.
      outcome = await Promise.race([stopped, changes.next()]);
      if (Array.isArray(outcome)) await recompile(outcome);
    } else {
      supervisor.kill('SIGTERM');
      await ended;
    }
    if (outcome === 'stopped') process.exit(0);
  }
});

/** Collects changed sources; `next` answers the paths that have changed since it answered last, once it is quiet. */
function watchSources(folders) {
  const changed = new Set();
  let told;
  for (const folder of folders) {
    watch(folder, { recursive: true }, (event, name) => {
      const file = name === null ? '' : join(folder, name);
      if (!SOURCE.test(file) || file.startsWith('libs/testing/')) return;
      changed.add(file);
      told?.();
    });
  }
  const next = async () => {
    if (changed.size === 0) await new Promise((resolve) => (told = resolve));
    let seen;
    do {
      seen = changed.size;
      await wait(QUIET_MS);
    } while (seen !== changed.size);
    const files = [...changed];
    changed.clear();
    return files;
  };
  let pending;
  // The same promise until it is settled: one that lost a race still has its answer.
  return { next: () => (pending ??= next().finally(() => (pending = undefined))) };
}

/** Brings the compiled modules up to date; Node sees them change. What does not compile stays as it was. */
async function recompile(files) {
  const { transformFile } = await import('@swc/core'); // only now: nothing may be installed when this file is loaded
  for (const file of files) {
    const target = join('dist', file.replace(/ts$/, 'js'));
    if (!existsSync(file)) {
      rmSync(target, { force: true });
      continue;
    }
    try {
      const { code } = await transformFile(file, { configFile: '.swcrc', sourceMaps: 'inline' });
      // One save can be told twice: only what is new is written, so that nothing starts again for nothing.
      if (existsSync(target) && readFileSync(target, 'utf8') === code) continue;
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    } catch (error) {
      process.stderr.write(`${error.message.split('Caused by:')[0].trim()}\n`); // the rest is a native stack
    }
  }
}
