import { setFlagsFromString } from 'node:v8';

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
