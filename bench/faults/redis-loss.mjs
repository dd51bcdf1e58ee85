import { setTimeout as wait } from 'node:timers/promises';
import { brokenIn, Load, reckon } from './load.mjs';
import { Receiver } from './receiver.mjs';
import { Redis } from './redis.mjs';
import { subscribe } from './site.mjs';

const DRAIN_LIMIT_MS = 120_000;

/**
 * Wipes Redis several times, then stops it for a while, under load; all queues use it from the start. The receiver
 * responds slowly, so that jobs are queued when it stops.
 */
export async function loseRedis(site, { wipes, downMs, rate, tenants: count, pauseMs, answerMs, concurrency }) {
  const tenants = await site.tenants(count);
  const redis = await Redis.open();
  const receiver = await Receiver.start(() => answerMs);
  try {
    const api = await site.startApi({ REDIS_URL: redis.url });
    const worker = await site.startWorker({ REDIS_URL: redis.url, WORKER_CONCURRENCY: String(concurrency) });
    await subscribe(api, tenants, receiver.url);
    const load = new Load(api, tenants, rate).start();
    for (let wipe = 0; wipe < wipes; wipe++) {
      await wait(pauseMs);
      await redis.wipe();
    }
    await wait(pauseMs);
    await redis.stop();
    await wait(downMs);
    await redis.start();
    await wait(pauseMs);
    const reached = await load.stop();
    const figures = await reckon(site, receiver, load, tenants, DRAIN_LIMIT_MS);
    const survived = api.isAlive && worker.isAlive;
    return { wipes, downMs, reached, failed: load.failed, survived, ...figures };
  } finally {
    await receiver.close();
    await redis.close();
  }
}

export function judgeRedisLoss(figures) {
  const { wipes, downMs, reached, failed, survived, events, lost, duplicates, longestMs } = figures;
  return {
    measured:
      `${wipes} wipes and ${downMs / 1_000} s without it at ${reached}/s: ${lost} of ${events} lost, ` +
      `${duplicates} duplicates, ${failed} creates failed, longest delay ${longestMs} ms`,
    broken: [...brokenIn(figures), !survived && 'a process ended', failed > 0 && `${failed} creates failed`].filter(
      Boolean,
    ),
  };
}
