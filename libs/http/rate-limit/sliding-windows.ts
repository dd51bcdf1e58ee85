import { SlidingWindow } from './sliding-window.js';
import type { Verdict } from './verdict.js';

/** Keys looked at for idleness with each call. Two, so that new keys cannot arrive faster than idle ones leave. */
const SWEEP_STEP = 2;

/**
 * Sliding windows of many keys in one process.
 *
 * Memory is bounded: keys with nothing in the window are dropped as calls go by, and above `maxKeys` live ones new keys
 * share one window until others leave (a flood of new addresses then limits itself; keys already known are not touched).
 */
export class SlidingWindows {
  private readonly windows = new Map<string, SlidingWindow>();
  private sweeper = this.windows.entries();
  private readonly overflow = new SlidingWindow();
  private readonly empty = new SlidingWindow();

  constructor(private readonly maxKeys = 100_000) {}

  /** Keys held at the moment. */
  get size(): number {
    return this.windows.size;
  }

  /** Counts a call of `key` if there is room for it; see {@link SlidingWindow.hit}. */
  hit(key: string, limit: number, nowMs: number, windowMs: number, cost = 1): Verdict {
    return this.windowOf(key, nowMs).hit(limit, nowMs, windowMs, cost);
  }

  /** What {@link hit} would say, without counting and without making room for the key. */
  peek(key: string, limit: number, nowMs: number, windowMs: number, cost = 1): Verdict {
    const window = this.windows.get(key) ?? (this.windows.size < this.maxKeys ? this.empty : this.overflow);
    return window.peek(limit, nowMs, windowMs, cost);
  }

  /** Counts a call of `key` that somebody else let through. */
  record(key: string, limit: number, nowMs: number, windowMs: number, cost = 1): void {
    this.windowOf(key, nowMs).record(limit, nowMs, windowMs, cost);
  }

  private windowOf(key: string, nowMs: number): SlidingWindow {
    this.sweep(nowMs);
    const known = this.windows.get(key);
    if (known) return known;
    if (this.windows.size >= this.maxKeys) return this.overflow;
    const window = new SlidingWindow();
    this.windows.set(key, window);
    return window;
  }

  private sweep(nowMs: number): void {
    for (let step = 0; step < SWEEP_STEP; step++) {
      const next = this.sweeper.next();
      if (next.done) {
        this.sweeper = this.windows.entries();
        return;
      }
      if (next.value[1].isIdle(nowMs)) this.windows.delete(next.value[0]);
    }
  }
}
