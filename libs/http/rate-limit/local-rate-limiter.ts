import type { Clock } from '#libs/kernel/clock.js';
import { MonotoneClock } from './monotone-clock.js';
import { SlidingWindows } from './sliding-windows.js';
import type { RateLimiter, Verdict } from './verdict.js';

/** Limits that hold within this process: the limiter of a single API process, and the fallback of the shared one. */
export class LocalRateLimiter implements RateLimiter {
  private readonly clock: MonotoneClock;
  private readonly scopes = new Map<string, SlidingWindows>();

  constructor(clock: Clock) {
    this.clock = new MonotoneClock(clock);
  }

  /** Milliseconds since the Unix epoch as the limiter counts them; never goes back. */
  nowMs(): number {
    return this.clock.nowMs();
  }

  hit(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict {
    return this.windows(scope).hit(key, limit, this.clock.nowMs(), windowMs, cost);
  }

  peek(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict {
    return this.windows(scope).peek(key, limit, this.clock.nowMs(), windowMs, cost);
  }

  /** Counts a call that the shared limiter let through at `atMs`, so that this process knows its own part of the whole. */
  record(scope: string, key: string, limit: number, windowMs: number, cost: number, atMs: number): void {
    this.windows(scope).record(key, limit, atMs, windowMs, cost);
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  private windows(scope: string): SlidingWindows {
    let windows = this.scopes.get(scope);
    if (!windows) this.scopes.set(scope, (windows = new SlidingWindows()));
    return windows;
  }
}
