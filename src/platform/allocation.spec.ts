import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { boundGarbage } from './allocation.js';

/** Keeps objects for a while, so that they become old, beside some that stay; answers how often all of them were collected. */
const WORK = `
  const { constants, PerformanceObserver } = require('node:perf_hooks');
  const { parentPort } = require('node:worker_threads');
  let collections = 0;
  new PerformanceObserver((list) => {
    collections += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  }).observe({ entryTypes: ['gc'] });
  const make = (i) => ({ i, text: 't' + i, numbers: [i, i, i, i, i, i, i, i] });
  globalThis.staying = Array.from({ length: 100000 }, (_, i) => make(i));
  let passing = [];
  let made = 0;
  const work = () => {
    for (let i = 0; i < 50000; i++) passing.push(make(made++));
    if (passing.length > 100000) passing = passing.slice(50000);
    if (made < 6000000) return setImmediate(work);
    setImmediate(() => parentPort.postMessage(collections));
  };
  work();`;

async function collections(): Promise<number> {
  const thread = new Worker(WORK, { eval: true });
  const [count] = (await once(thread, 'message')) as [number];
  await thread.terminate();
  return count;
}

afterAll(() => setFlagsFromString('--heap-growing-percent=0'));

it('has old objects collected the less often the more they may grow', async () => {
  boundGarbage(1.2);
  const often = await collections();
  boundGarbage(4);
  expect(await collections()).toBeLessThan(often / 2);
});
