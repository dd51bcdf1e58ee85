import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, ChildStartError } from '#src/start/child.js';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const started: Child[] = [];

/** A child that runs the script; `pids` are those of its processes so far, `warnings` what was said of crashes. */
function makeChild(script: string): { child: Child; pids: number[]; warnings: string[] } {
  const entry = join(temporaryFolder(), 'main.mjs');
  writeFileSync(entry, script);
  const pids: number[] = [];
  const warnings: string[] = [];
  const child: Child = new Child({
    name: 'worker',
    entry,
    env: { ...process.env },
    onSpawn: () => void (child.pid && pids.push(child.pid)),
    warn: (line) => void warnings.push(line),
  });
  started.push(child);
  return { child, pids, warnings };
}

const READY = `process.send({ ready: true, url: 'http://127.0.0.1:4321' });`;
const isGone = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};

afterEach(async () => {
  await Promise.all(started.splice(0).map((child) => child.stop()));
});
afterAll(removeFolders);

describe('a process of the platform', () => {
  it('is up when it says so, and ends when asked', async () => {
    const { child, pids, warnings } = makeChild(`${READY} process.on('SIGTERM', () => process.exit(0));`);
    expect(await child.start()).toBe('http://127.0.0.1:4321');
    await child.stop();
    expect(pids.map(isGone)).toEqual([true]);
    expect(warnings).toEqual([]);
  });

  it('is started again when it is killed', async () => {
    const { child, pids, warnings } = makeChild(`${READY} setInterval(() => undefined, 1000);`);
    await child.start();
    process.kill(pids[0]!, 'SIGKILL');
    await until(() => pids.length === 2);
    expect(warnings).toEqual(['The worker ended unexpectedly (SIGKILL); starting it again']);
  });

  it('is given up after five crashes within a minute', async () => {
    const { child, pids } = makeChild(`${READY} setTimeout(() => process.exit(3), 10);`);
    await child.start();
    await expect(child.failed).rejects.toThrow('The worker crashed 5 times within 60 s (exit 3); giving up');
    expect(pids).toHaveLength(5);
  });

  it('is not started again when it fails before it was up: it has said why', async () => {
    const { child, pids } = makeChild(`process.exit(1);`);
    await expect(child.start()).rejects.toThrow(ChildStartError);
    expect(pids).toHaveLength(1);
  });

  it('that dies without a word before it was up is reported', async () => {
    const { child } = makeChild(`process.kill(process.pid, 'SIGKILL');`);
    await expect(child.start()).rejects.toThrow('The worker ended while it was starting (SIGKILL)');
  });
});
