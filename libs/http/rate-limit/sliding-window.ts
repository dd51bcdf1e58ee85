import type { Verdict } from './verdict.js';

/** Above this limit hits are merged into cells, to bound the memory of a key (see {@link cellMs}). */
export const EXACT_LIMIT = 20_000;

/** Maximum number of cells per window when hits are merged: 100 ms each for a one-minute window. */
const CELLS_PER_WINDOW = 600;

/**
 * Maximum number of hits in a cell, so that its timestamp and count fit into one whole number of a Redis script (53
 * bits).
 */
export const CELL_CAPACITY = 4_095;

const SMALLEST_RING = 4;
const RING_WORTH_FREEING = 64;

/**
 * Width in milliseconds of the cells into which hits of one key are merged. With 1, only hits of the same millisecond
 * are merged, which is exact. A cell leaves the window with its last hit, so merging can only keep a slot too long (by
 * less than one cell) and never admits one too many.
 */
export function cellMs(limit: number, windowMs: number): number {
  return limit > EXACT_LIMIT ? Math.max(1, Math.ceil(windowMs / CELLS_PER_WINDOW)) : 1;
}

/**
 * The accepted hits of one key that are still in the window: a ring of cells, oldest first, that grows as needed. At
 * most `limit` cells up to {@link EXACT_LIMIT}; above, 601 plus one per {@link CELL_CAPACITY} hits.
 *
 * A hit with an earlier time than a previous one is stamped with the latest time seen, and an earlier time releases
 * nothing: a clock that goes back admits nothing extra.
 */
export class SlidingWindow {
  /** Millisecond of the last hit of each cell. */
  private stamps: number[] = ring(SMALLEST_RING);
  private counts: number[] = ring(SMALLEST_RING);
  private head = 0;
  private size = 0;
  private used = 0;
  private windowMs = 0;
  private latestMs = -Infinity;

  /** Counts a hit of `cost` slots if at most `limit` slots are in use afterwards. */
  hit(limit: number, nowMs: number, windowMs: number, cost: number): Verdict {
    this.expire(nowMs, windowMs);
    const allowed = this.used + cost <= limit;
    if (allowed) this.append(cellMs(limit, windowMs), cost);
    return this.verdict(allowed, limit, nowMs, cost);
  }

  /** What {@link hit} would return, without counting. */
  peek(limit: number, nowMs: number, windowMs: number, cost: number): Verdict {
    this.expire(nowMs, windowMs);
    return this.verdict(this.used + cost <= limit, limit, nowMs, cost);
  }

  /** Counts a hit that was admitted elsewhere. */
  record(limit: number, nowMs: number, windowMs: number, cost: number): void {
    this.expire(nowMs, windowMs);
    this.append(cellMs(limit, windowMs), cost);
  }

  /** Current number of cells, which determines the key's memory. */
  get cells(): number {
    return this.size;
  }

  /** Whether nothing is counted any more, so that the object can be dropped. */
  isIdle(nowMs: number): boolean {
    return this.size === 0 || this.stamps[this.newest()]! + this.windowMs <= nowMs;
  }

  private newest(): number {
    return (this.head + this.size - 1) & (this.stamps.length - 1);
  }

  private expire(nowMs: number, windowMs: number): void {
    this.windowMs = windowMs;
    if (nowMs > this.latestMs) this.latestMs = nowMs;
    const mask = this.stamps.length - 1;
    while (this.size > 0 && this.stamps[this.head]! + windowMs <= nowMs) {
      this.used -= this.counts[this.head]!;
      this.head = (this.head + 1) & mask;
      this.size--;
    }
    if (this.size === 0 && mask >= RING_WORTH_FREEING) {
      this.stamps = ring(SMALLEST_RING);
      this.counts = ring(SMALLEST_RING);
      this.head = 0;
    }
  }

  private append(widthMs: number, cost: number): void {
    const stamp = this.latestMs;
    if (this.size > 0) {
      const newest = this.newest();
      const count = this.counts[newest]! + cost;
      if (Math.floor(this.stamps[newest]! / widthMs) === Math.floor(stamp / widthMs) && count <= CELL_CAPACITY) {
        this.stamps[newest] = stamp;
        this.counts[newest] = count;
        this.used += cost;
        return;
      }
    }
    if (this.size === this.stamps.length) this.grow();
    const next = (this.head + this.size) & (this.stamps.length - 1);
    this.stamps[next] = stamp;
    this.counts[next] = cost;
    this.size++;
    this.used += cost;
  }

  private grow(): void {
    const { stamps, counts, head, size } = this;
    this.stamps = stamps.slice(head).concat(stamps.slice(0, head), ring(size));
    this.counts = counts.slice(head).concat(counts.slice(0, head), ring(size));
    this.head = 0;
  }

  private verdict(allowed: boolean, limit: number, nowMs: number, cost: number): Verdict {
    return {
      allowed,
      remaining: this.used < limit ? limit - this.used : 0,
      resetMs: this.size === 0 ? 0 : this.leavesInMs(this.head, nowMs),
      retryAfterMs: allowed ? 0 : this.freesInMs(this.used + cost - limit, limit - cost, nowMs),
    };
  }

  /**
   * Time until `places` slots are released. More than one cell has to leave if the limit was lowered or the hit costs
   * more.
   */
  private freesInMs(places: number, spare: number, nowMs: number): number {
    if (spare < 0 || this.size === 0) return this.windowMs;
    const mask = this.stamps.length - 1;
    let cell = this.head;
    for (let freed = this.counts[cell]!; freed < places; freed += this.counts[cell]!) cell = (cell + 1) & mask;
    return this.leavesInMs(cell, nowMs);
  }

  private leavesInMs(cell: number, nowMs: number): number {
    return Math.min(this.windowMs, this.stamps[cell]! + this.windowMs - nowMs);
  }
}

/** Preallocated as doubles, so that the engine keeps the numbers unboxed. */
function ring(length: number): number[] {
  return new Array<number>(length).fill(-0.5);
}
