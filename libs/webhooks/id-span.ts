import { NIL_UUID } from '#libs/kernel/id.js';

/** The smallest and the largest of some ids: with them a statement looks at the partitions of their days alone. */
export function spanOf(ids: readonly string[]): [first: string, last: string] {
  let [first = NIL_UUID, last = NIL_UUID] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}
