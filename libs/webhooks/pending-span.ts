import { NIL_UUID } from '#libs/kernel/id.js';
import { firstIdOf, timesOf } from './id-span.js';

const DAY_MS = 86_400_000;
const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** How often the relay looks at all days. */
const ALL_EVERY_MS = 5_000;

/** The smallest and the largest id of some events. */
export type Span = readonly [first: string, last: string];

/** Events of any day. */
export const ALL_DAYS: Span = [NIL_UUID, MAX_UUID];

/**
 * Which events the relay looks at. A look for those of a tenant goes through the partition of each day that it may find some
 * in, and what is pending is of this day nearly always. So a round of the tenants looks at yesterday, today and tomorrow (UTC,
 * for clocks that differ), and now and then at all days; and at these for as long as there is anything of another day, as there
 * is after days without a worker.
 */
export class PendingSpan {
  private lookedAtAllMs = -Infinity;
  private hasOthers = false;
  private atAll = true;

  /** The ids that a pass is to look at. @param begins whether a round begins with it */
  next(begins: boolean, nowMs = Date.now()): Span {
    if (begins) {
      this.atAll = this.hasOthers || nowMs - this.lookedAtAllMs >= ALL_EVERY_MS;
      this.hasOthers = false;
      if (this.atAll) this.lookedAtAllMs = nowMs;
    }
    return this.atAll ? ALL_DAYS : daysAround(nowMs);
  }

  /** Hears what a pass has found. */
  found(ids: readonly string[], nowMs = Date.now()): void {
    const [first, last] = daysAround(nowMs);
    this.hasOthers ||= ids.some((id) => id < first || id > last);
  }
}

function daysAround(nowMs: number): Span {
  const todayMs = nowMs - (nowMs % DAY_MS);
  return timesOf([firstIdOf(todayMs - DAY_MS), firstIdOf(todayMs + 2 * DAY_MS - 1)]);
}
