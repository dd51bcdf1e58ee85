// npm run dev: the platform, built and started again whenever a source file changes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { build, ensureBuilt, ensureInstalled, findNode, main } from './project.mjs';

const QUIET_MS = 200;

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  let changes = 0;
  let onChange;
  const nextChange = () => new Promise((resolve) => (onChange = () => resolve('changed')));
  let changed = nextChange();
  for (const folder of ['src', 'libs']) {
    watch(folder, { recursive: true }, () => {
      changes += 1;
      onChange();
    });
  }
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve('stopped'));
  });
  for (;;) {
    const platform = spawn(findNode(), ['dist/src/start/main.js'], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    const ended = once(platform, 'exit');
    let reason = await Promise.race([changed, stopped]);
    // An editor writes several files, or one in several steps: wait until it is quiet. A failed build waits for more.
    while (reason === 'changed') {
      const seen = changes;
      await wait(QUIET_MS);
      if (seen !== changes) continue;
      changed = nextChange();
      if ((await build()) === 0) break;
      reason = await Promise.race([changed, stopped]);
    }
    if (platform.exitCode === null && platform.signalCode === null) {
      platform.kill('SIGTERM');
      await ended;
    }
    if (reason === 'stopped') return process.exit(0);
  }
});
