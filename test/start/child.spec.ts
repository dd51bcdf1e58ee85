import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, ChildStartError } from '#src/start/child.js';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const started: Child[] = [];

/** A child that runs the script; `pids` are those of its processes so far, `lines` what was said of crashes. */
function makeChild(script: string): { child: Child; pids: number[]; lines: string[] } {
  const entry = join(temporaryFolder(), 'main.mjs');
  writeFileSync(entry, script);
  const pids: number[] = [];
  const lines: string[] = [];
  const child: Child = new Child({
    name: 'worker',
    entry,
    env: { ...process.env },
    flags: [],
    onSpawn: () => void (child.pid && pids.push(child.pid)),
    tell: (line) => void lines.push(line),
  });
  started.push(child);
  return { child, pids, lines };
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
    const { child, pids, lines } = makeChild(`${READY} process.on('SIGTERM', () => process.exit(0));`);
    expect(await child.start()).toBe('http://127.0.0.1:4321');
    await child.stop();
    expect(pids.map(isGone)).toEqual([true]);
    expect(lines).toEqual([]);
  });

  it('is started again when it is killed', async () => {
    const { child, pids, lines } = makeChild(`${READY} setInterval(() => undefined, 1000);`);
    await child.start();
    process.kill(pids[0]!, 'SIGKILL');
    await until(() => pids.length === 2);
    expect(lines).toEqual(['The worker ended unexpectedly (SIGKILL); restarting it until it stays up']);
  });

  it('is started again however often it crashes, and one line says so', async () => {
    const { child, pids, lines } = makeChild(`${READY} setTimeout(() => process.exit(3), 10);`);
    await child.start();
    await until(() => pids.length === 6);
    expect(lines).toEqual(['The worker ended unexpectedly (exit 3); restarting it until it stays up']);
  });

  it('is not started again when it fails before it was up: it has said why', async () => {
    const { child, pids } = makeChild(`process.exit(1);`);
    await expect(child.start()).rejects.toThrow(ChildStartError);
    expect(pids).toHaveLength(1);
  });

  it('that dies without a word before it was up is reported', async () => {
    const { child } = makeChild(`process.kill(process.pid, 'SIGKILL');`);
    await expect(child.start()).rejects.toThrow('The worker ended during its start (SIGKILL)');
  });
});
