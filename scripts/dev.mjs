// npm run dev: runs the platform and restarts API and worker when a loaded source file changes. PostgreSQL keeps
// running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { compile, ensureInstalled, findNode, main } from './project.mjs';

// Editors may write several files, or one file in several steps.
const QUIET_MS = 100;
const SOURCE = /(?<!\.spec|\.d)\.ts$|\.sql$/;
// Files loaded by the supervisor: it restarts with its database and runs new migrations.
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
      // The error was reported: retry after the next change.
      outcome = await Promise.race([stopped, changes.next()]);
      if (Array.isArray(outcome)) await recompile(outcome);
    } else {
      supervisor.kill('SIGTERM');
      await ended;
    }
    if (outcome === 'stopped') process.exit(0);
  }
});

/**
 * Collects changed sources; `next` resolves with the paths changed since its last result, once no more changes arrive.
 */
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
  // The same promise until it settles, so that a result is not lost with a race.
  return { next: () => (pending ??= next().finally(() => (pending = undefined))) };
}

/** Updates the compiled modules, which Node watches. Files that do not compile stay unchanged. */
async function recompile(files) {
  const { transformFile } = await import('@swc/core'); // imported late: dependencies may be missing when this file is loaded
  for (const file of files) {
    const target = join('dist', file.replace(/\.ts$/, '.js'));
    if (!existsSync(file)) {
      rmSync(target, { force: true });
      continue;
    }
    if (file.endsWith('.sql')) {
      copyFileSync(file, target);
      continue;
    }
    try {
      const { code } = await transformFile(file, { configFile: '.swcrc', sourceMaps: 'inline' });
      // A save can be reported twice: only changed content is written, to avoid unnecessary restarts.
      if (existsSync(target) && readFileSync(target, 'utf8') === code) continue;
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code);
    } catch (error) {
      process.stderr.write(`${error.message.split('Caused by:')[0].trim()}\n`); // the rest is a native stack
    }
  }
}
