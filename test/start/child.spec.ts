import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, ChildStartError } from '#src/start/child.js';
import { until } from '#libs/testing/until.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const started: Child[] = [];

/** A child that runs the script; `pids` are its process ids so far, `lines` the reports of crashes. */
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
  it('is up when it reports so, and stops on request', async () => {
    const { child, pids, lines } = makeChild(`${READY} process.on('SIGTERM', () => process.exit(0));`);
    expect(await child.start()).toBe('http://127.0.0.1:4321');
    await child.stop();
    expect(pids.map(isGone)).toEqual([true]);
    expect(lines).toEqual([]);
  });

  it('is restarted when it is killed', async () => {
    const { child, pids, lines } = makeChild(`${READY} setInterval(() => undefined, 1000);`);
    await child.start();
    process.kill(pids[0]!, 'SIGKILL');
    await until(() => pids.length === 2);
    expect(lines).toEqual(['The worker ended unexpectedly (SIGKILL); restarting it until it stays up']);
  });

  it('is restarted after every crash, reported in one line', async () => {
    const { child, pids, lines } = makeChild(`${READY} setTimeout(() => process.exit(3), 10);`);
    await child.start();
    await until(() => pids.length === 6);
    expect(lines).toEqual(['The worker ended unexpectedly (exit 3); restarting it until it stays up']);
  });

  it('is not restarted when its first start fails, because it has reported the reason', async () => {
    const { child, pids } = makeChild(`process.exit(1);`);
    await expect(child.start()).rejects.toThrow(ChildStartError);
    expect(pids).toHaveLength(1);
  });

  it('is reported when it dies silently during its first start', async () => {
    const { child } = makeChild(`process.kill(process.pid, 'SIGKILL');`);
    await expect(child.start()).rejects.toThrow('The worker ended during its start (SIGKILL)');
  });
});
