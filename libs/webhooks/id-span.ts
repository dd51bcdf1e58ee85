import { DAY_MS } from '#libs/kernel/durations.js';
import { NIL_UUID } from '#libs/kernel/id.js';

/** The smallest and the largest of some ids. */
export type Span = [first: string, last: string];

/** The smallest and the largest id, which limit a statement to the partitions of their days. */
export function spanOf(ids: readonly string[]): Span {
  let [first = NIL_UUID, last = NIL_UUID] = [ids[0], ids[0]];
  for (const id of ids) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return [first, last];
}

/** Extended to all ids with the same milliseconds, because deliveries have the times of their events. */
export function timesOf(ids: readonly string[]): Span {
  const [first, last] = spanOf(ids);
  return [`${first.slice(0, 13)}-0000-0000-000000000000`, `${last.slice(0, 13)}-ffff-ffff-ffffffffffff`];
}

/** Ids of all days. */
export const ALL_DAYS: Span = [NIL_UUID, 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** Ids from 24 hours ago to 24 hours ahead. */
export function daysAround(nowMs: number): Span {
  return [firstIdOf(nowMs - DAY_MS), firstIdOf(nowMs + DAY_MS)];
}

/** The smallest UUID whose first 48 bits are a time, as in a UUIDv7. `Source:` RFC 9562 section 5.7. */
export function firstIdOf(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
