import { setTimeout as wait } from 'node:timers/promises';
import { handoffKind } from './handovers.mjs';
import { holds } from './site.mjs';
import { mappingKind } from './talent-mappings.mjs';

/** What is executed; the sizes have a number for each by its name. */
const KINDS = [handoffKind, mappingKind];
const BUSY_LIMIT_MS = 30_000;
const FINISH_LIMIT_MS = 120_000;
const TURN_MS = 5;
const WITHIN_MS = 150;

/** Kills the worker `kills` times while it executes plans of steps, each time with another part of them, and lets the last one finish. */
export async function killHandovers(site, { kills, ...counts }) {
  const [tenant] = await site.tenants(1);
  const api = await site.api();
  const work = [];
  for (const kind of KINDS) work.push({ kind, ids: await kind.prepare(site, api, tenant, counts[kind.name]) });
  const sum = async (measure) => {
    let total = 0;
    for (const { kind } of work) total += await kind[measure](site, tenant);
    return total;
  };
  let halfDone = 0;
  let cut = 0;
  for (let kill = 0; kill < kills; kill++) {
    const worker = await site.startWorker();
    const before = await sum('steps');
    for (const { kind, ids } of work) await kind.start(api, tenant, partOf(ids, kill, kills));
    const giveUpMs = performance.now() + BUSY_LIMIT_MS;
    while ((await sum('steps')) === before) {
      if (performance.now() > giveUpMs) throw new Error('The worker executes nothing.');
      await wait(TURN_MS);
    }
    await wait(Math.random() * WITHIN_MS);
    await worker.end('SIGKILL');
    halfDone += await sum('halfDone');
    if ((await sum('unfinished')) > 0) cut += 1;
  }
  await site.startWorker();
  const finished = await holds(async () => (await sum('unfinished')) === 0, FINISH_LIMIT_MS);
  const unequal = [];
  for (const { kind } of work) unequal.push(...(await kind.unequal(site, tenant)));
  return { kills, cut, plans: work.flatMap(({ ids }) => ids).length, finished, halfDone, unequal };
}

export function judgeHandoverKills({ kills, cut, plans, finished, halfDone, unequal }) {
  return {
    measured: `${kills} kills, ${cut} of them with unfinished plans: ${plans} executed, ${halfDone} half done, ${unequal.length} effects missing or repeated`,
    broken: [
      !finished && 'not everything was finished',
      halfDone > 0 && 'a step was half done',
      ...unequal.slice(0, 5),
    ].filter(Boolean),
  };
}

/** The part of a list for one of several rounds. */
function partOf(ids, round, rounds) {
  return ids.slice(Math.floor((ids.length * round) / rounds), Math.floor((ids.length * (round + 1)) / rounds));
}
