import { setTimeout as wait } from 'node:timers/promises';
import { brokenIn, Load, reckon } from './load.mjs';
import { Receiver } from './receiver.mjs';
import { subscribe } from './site.mjs';

const DRAIN_LIMIT_MS = 60_000;
const VOLUME = 10;
const LIMIT_MS = 2_000;

/** One tenant, whose receiver never responds, has ten times the events of all others together. */
export async function slowTenant(site, { rate, seconds, tenants: count, timeoutMs }) {
  const [slow, ...others] = await site.tenants(count + 1);
  const silent = await Receiver.start(() => null);
  const receiver = await Receiver.start();
  try {
    const api = await site.api();
    await site.startWorker();
    await subscribe(api, [slow], silent.url, { timeoutMs });
    await subscribe(api, others, receiver.url);
    const load = new Load(api, others, rate).start();
    const flood = new Load(api, [slow], rate * VOLUME).start();
    await wait(seconds * 1_000);
    const [reached, flooded] = [await load.stop(), await flood.stop()];
    const figures = await reckon(site, receiver, load, others, DRAIN_LIMIT_MS);
    return {
      reached,
      flooded,
      attempts: silent.requests.length,
      /** Attempts that had timed out when all events of the others had arrived. */
      timedOut: silent.requests.filter(({ left }) => left).length,
      ...figures,
    };
  } finally {
    await receiver.close();
    await silent.close();
  }
}

export function judgeSlowTenant(figures) {
  const { reached, flooded, attempts, timedOut, events, p50Ms, p95Ms, longestMs } = figures;
  return {
    measured:
      `${events} events of the others at ${reached}/s beside ${flooded}/s (${timedOut} of ${attempts} attempts timed out): ` +
      `to the first attempt p50 ${p50Ms} ms, p95 ${p95Ms} ms, longest ${longestMs} ms`,
    broken: [...brokenIn(figures), p95Ms >= LIMIT_MS && 'a 95th percentile of 2 s or more'].filter(Boolean),
  };
}
