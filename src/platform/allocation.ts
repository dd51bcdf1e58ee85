import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Has V8 make every object among the young ones, where it costs nothing to forget it.
 *
 * V8 learns which lines make objects that last, and lets them make the next ones among the old, which only a collection of
 * the whole heap frees. It learns that while a server starts, when nearly everything lasts; and what an old request refers
 * to lasts as well. A tenth of what a request allocates was kept like that, and collecting it took 12 µs of a request.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Has V8 clean up young objects in the thread that made them. What outlives a request is little, so that waking up helpers
 * takes longer than what they help with, most of all where they share the cores with PostgreSQL.
 */
export function collectAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Has V8 let old objects grow to so many times what the last collection left of them, and no more, before it collects them again.
 *
 * By itself it decides that anew each time. It allows up to four times while they come quickly, so that how much memory a flood
 * of requests took depended on the machine. And once it has tidied up in a pause it may allow 1.3 times from then on, however
 * much comes: it collected six times as often, which took a worker a third more CPU time for each delivery.
 * `Source:` ADR 27, docs/performance.md.
 */
export function boundGarbage(times: number): void {
  setFlagsFromString(`--heap-growing-percent=${Math.round((times - 1) * 100)}`);
}

/**
 * Has V8 give back what it took to start, once a process is ready: a fifth of its memory, for 0.3 s. V8 would do so by itself
 * some time after a collection of the whole heap, and a process that has little to do makes no garbage that calls for one.
 * Not for workers: one that is killed again and again would have that much less of each life to deliver in.
 */
export function forgetStart(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction; // the flag is for contexts that are made from now on
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
