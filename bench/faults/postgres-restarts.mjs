import { setTimeout as wait } from 'node:timers/promises';
import { brokenIn, Load, reckon } from './load.mjs';
import { Receiver } from './receiver.mjs';
import { call, holds, subscribe } from './site.mjs';

const RECOVERY_LIMIT_MS = 30_000;
const DRAIN_LIMIT_MS = 60_000;

/** Restarts PostgreSQL under load, once per mode; neither API nor worker is restarted. */
export async function restartPostgres(site, { modes, downMs, rate, tenants: count, pauseMs }, database) {
  const tenants = await site.tenants(count);
  const receiver = await Receiver.start();
  try {
    const [api, worker] = [await site.api(), await site.startWorker()];
    await subscribe(api, tenants, receiver.url);
    const load = new Load(api, tenants, rate).start();
    let slowestMs = 0;
    let recovered = true;
    for (const mode of modes) {
      await wait(pauseMs);
      await database.restart(mode, downMs);
      const upMs = performance.now();
      const before = receiver.arrivals.size;
      const deal = () => call(api, tenants[0], 'GET', '/api/v1/sales/deals?limit=1').catch(() => ({ status: 0 }));
      recovered &&= await holds(async () => (await deal()).status === 200, RECOVERY_LIMIT_MS);
      recovered &&= await holds(() => receiver.arrivals.size > before, RECOVERY_LIMIT_MS);
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - upMs));
    }
    await wait(pauseMs);
    const reached = await load.stop();
    const figures = await reckon(site, receiver, load, tenants, DRAIN_LIMIT_MS);
    const survived = api.isAlive && worker.isAlive;
    return { modes, reached, failed: load.failed, recovered, slowestMs, survived, ...figures };
  } finally {
    await receiver.close();
  }
}

export function judgePostgresRestarts(figures) {
  const { modes, reached, failed, recovered, slowestMs, survived, events, lost, duplicates } = figures;
  return {
    measured:
      `restarts ${modes.join(', ')} at ${reached}/s: ${lost} of ${events} lost, ${duplicates} duplicates, ` +
      `${failed} creates rejected meanwhile, both recovered within ${slowestMs} ms`,
    broken: [
      ...brokenIn(figures),
      !recovered && 'API or worker did not recover',
      !survived && 'a process ended',
    ].filter(Boolean),
  };
}
