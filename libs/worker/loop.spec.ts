import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Loop, type Work } from './loop.js';

const PAUSES = { busyMs: 50, idleMs: 250 };

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.useFakeTimers();
  const keep = (line: unknown): void => void lines.push(String(line));
  jest.spyOn(Logger.prototype, 'error').mockImplementation(keep);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(keep);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** A loop whose steps return these outcomes in turn, then repeat the last one. */
function loopOf(...outcomes: (Work | Error)[]) {
  let steps = 0;
  const loop = new Loop('The test', PAUSES, () => {
    const outcome = outcomes[Math.min(steps, outcomes.length - 1)]!;
    steps++;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  });
  loop.start();
  return { loop, steps: () => steps, after: (ms: number) => jest.advanceTimersByTimeAsync(ms) };
}

describe('a loop', () => {
  it('goes on at once while loads are full, soon while there is work, and ever later while there is none', async () => {
    const { loop, steps, after } = loopOf('full', 'full', 'some', 'none');
    await after(0);
    expect(steps()).toBe(3);
    await after(50);
    expect(steps()).toBe(4);
    await after(99);
    expect(steps()).toBe(4);
    await after(1);
    expect(steps()).toBe(5);
    await after(200);
    expect(steps()).toBe(6);
    await after(249);
    expect(steps()).toBe(6);
    await after(1);
    expect(steps()).toBe(7);
    await loop.stop();
  });

  it('can be woken, also while a step runs', async () => {
    const { loop, steps, after } = loopOf('none');
    loop.wake();
    await after(0);
    expect(steps()).toBe(2);
    loop.wake();
    await after(0);
    expect(steps()).toBe(3);
    await loop.stop();
  });

  it('can begin later, or not at all when it is stopped before', async () => {
    let steps = 0;
    const loopWith = () => new Loop('The later one', PAUSES, () => Promise.resolve((steps++, 'none')));
    const [later, stopped] = [loopWith(), loopWith()];
    later.start(1_000);
    await jest.advanceTimersByTimeAsync(999);
    expect(steps).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(steps).toBe(1);
    await later.stop();
    await stopped.stop();
    stopped.start(1_000);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(steps).toBe(1);
  });

  it('outlives failures, which it logs once each way', async () => {
    const lost = new Error('the database is gone\nat somewhere');
    const { loop, steps, after } = loopOf(lost, lost, lost, 'some', lost, 'some');
    await after(3_000);
    expect(steps()).toBe(4);
    const failed = 'The test failed and is tried again every second: the database is gone';
    expect(lines).toEqual([failed, 'The test works again']);
    await after(50);
    await after(1_000);
    expect(lines).toEqual([failed, 'The test works again', failed, 'The test works again']);
    await loop.stop();
  });

  it('stops at once, and only once the step that runs has ended', async () => {
    const { loop, steps, after } = loopOf('none');
    await after(0);
    await loop.stop();
    await after(10_000);
    expect(steps()).toBe(1);
    const { promise, resolve } = Promise.withResolvers<Work>();
    const slow = new Loop('The slow one', PAUSES, () => promise);
    slow.start();
    let stopped = false;
    const stopping = slow.stop().then(() => (stopped = true));
    await after(10_000);
    expect(stopped).toBe(false);
    resolve('full');
    await stopping;
  });
});
