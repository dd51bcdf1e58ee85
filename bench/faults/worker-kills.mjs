import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../measure.mjs';
import { brokenIn, Load, reckon } from './load.mjs';
import { Receiver } from './receiver.mjs';
import { holds, subscribe } from './site.mjs';

const DRAIN_LIMIT_MS = 60_000;
const BUSY_LIMIT_MS = 30_000;
const LIMITS = { duplicates: 0.02, longestMs: 15_000 };

/**
 * Kills the worker repeatedly, each time after `lifeMs` (from, to), while deals are created; the first one runs for
 * `steadyMs` before. With a slow receiver, it is killed during attempts.
 */
export async function killWorkers(site, { kills, steadyMs, lifeMs: [from, to], rate, tenants: count, answerMs }) {
  const tenants = await site.tenants(count);
  const receiver = await Receiver.start(() => answerMs);
  const api = await site.api();
  const load = new Load(api, tenants, rate);
  try {
    await subscribe(api, tenants, receiver.url);
    load.start();
    const startsMs = [];
    for (let kill = 0; kill < kills; kill++) {
      const sinceMs = performance.now();
      const worker = await site.startWorker();
      startsMs.push(performance.now() - sinceMs);
      await wait(from + Math.random() * (to - from) + (kill === 0 ? steadyMs : 0));
      if (answerMs > 0 && !(await holds(() => receiver.open > 0, BUSY_LIMIT_MS)))
        throw new Error('The worker does not start working.');
      await worker.end('SIGKILL');
    }
    const reached = await load.stop();
    await site.startWorker();
    return {
      kills,
      reached,
      startMs: Math.round(median(startsMs)),
      ...(await reckon(site, receiver, load, tenants, DRAIN_LIMIT_MS)),
    };
  } finally {
    await load.stop();
    await receiver.close();
  }
}

export function judgeWorkerKills(figures) {
  const { kills, reached, startMs, events, lost, duplicates, p95Ms, longestMs } = figures;
  return {
    measured:
      `${kills} kills at ${reached}/s: ${lost} of ${events} lost, ${duplicates} duplicates ` +
      `(${((duplicates / events) * 100).toFixed(2)} %), delays p95 ${p95Ms} ms, longest ${longestMs} ms; ` +
      `a worker took ${startMs} ms to start (median)`,
    broken: [
      ...brokenIn(figures),
      duplicates > events * LIMITS.duplicates && 'more than 2 % duplicates',
      longestMs >= LIMITS.longestMs && 'a delay of 15 s or more',
    ].filter(Boolean),
  };
}
