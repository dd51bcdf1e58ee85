import type { Clock } from '#libs/kernel/clock.js';
import { Meters } from './meters.js';
import { MonotoneClock } from './monotone-clock.js';
import { SlidingWindow } from './sliding-window.js';
import { TokenBucket } from './token-bucket.js';
import type { RateLimiter, Verdict } from './verdict.js';

/** How a limit counts. */
export type MeterKind = 'window' | 'bucket';

const MAKERS = { window: () => new SlidingWindow(), bucket: () => new TokenBucket() };

/** Limits that apply within this process: the limiter of a single API process, and the fallback of the shared one. */
export class LocalRateLimiter implements RateLimiter {
  private readonly clock: MonotoneClock;
  private readonly scopes = new Map<string, Meters>();

  constructor(clock: Clock) {
    this.clock = new MonotoneClock(clock);
  }

  /** Milliseconds since the Unix epoch on the limiter's clock; never decreases. */
  nowMs(): number {
    return this.clock.nowMs();
  }

  hit(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict {
    return this.meters('window', scope).hit(key, limit, this.clock.nowMs(), windowMs, cost);
  }

  take(scope: string, key: string, limit: number, fillMs: number, cost = 1): Verdict {
    return this.meters('bucket', scope).hit(key, limit, this.clock.nowMs(), fillMs, cost);
  }

  peek(scope: string, key: string, limit: number, windowMs: number, cost = 1): Verdict {
    return this.meters('window', scope).peek(key, limit, this.clock.nowMs(), windowMs, cost);
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** The meters of a scope, for all its keys. */
  meters(kind: MeterKind, scope: string): Meters {
    let meters = this.scopes.get(scope);
    if (!meters) this.scopes.set(scope, (meters = new Meters(MAKERS[kind])));
    return meters;
  }
}
