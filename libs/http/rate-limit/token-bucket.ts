import type { Meter, Verdict } from './verdict.js';

/**
 * One bucket, stored as the time at which it will be full again. Each hit delays that time by the time that one token
 * takes to refill. `Source:` ITU-T I.371 annex A, "generic cell rate algorithm". Needs one number, regardless of the
 * number of hits. A clock that goes back fills nothing.
 */
export class TokenBucket implements Meter {
  private fullAtMs = -Infinity;

  /** @param fillMs from empty to full; a multiple of `limit`, so that all times are whole milliseconds */
  hit(limit: number, nowMs: number, fillMs: number, cost: number): Verdict {
    const { allowed, retryAfterMs } = this.peek(limit, nowMs, fillMs, cost);
    if (allowed) this.record(limit, nowMs, fillMs, cost);
    return { ...this.peek(limit, nowMs, fillMs, cost), allowed, retryAfterMs };
  }

  peek(limit: number, nowMs: number, fillMs: number, cost: number): Verdict {
    const placeMs = fillMs / limit;
    const missingMs = this.missingMs(nowMs, fillMs);
    const lateMs = missingMs + cost * placeMs - fillMs;
    return {
      allowed: lateMs <= 0,
      remaining: Math.floor((fillMs - missingMs) / placeMs),
      resetMs: missingMs % placeMs || Math.min(missingMs, placeMs),
      retryAfterMs: Math.min(fillMs, Math.max(0, lateMs)),
    };
  }

  record(limit: number, nowMs: number, fillMs: number, cost: number): void {
    this.fullAtMs = nowMs + this.missingMs(nowMs, fillMs) + (cost * fillMs) / limit;
  }

  isIdle(nowMs: number): boolean {
    return this.fullAtMs <= nowMs;
  }

  /** Time until the bucket is full. */
  private missingMs(nowMs: number, fillMs: number): number {
    return Math.min(fillMs, Math.max(0, this.fullAtMs - nowMs));
  }
}
