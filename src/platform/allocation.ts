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
 * Has V8 let old objects double and no more before it collects them. By itself it lets them grow up to fourfold while they
 * come quickly, so that how much memory a flood of requests took depended on the machine. `Source:` ADR 27.
 */
export function boundGarbage(): void {
  setFlagsFromString('--heap-growing-percent=100');
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
