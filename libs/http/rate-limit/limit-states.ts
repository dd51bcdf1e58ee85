import { Inject, Injectable } from '@nestjs/common';
import type { RateClass } from '#libs/accounting/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { RATE_LIMITER } from './rate-limit.storage.js';
import type { RateLimiter } from './verdict.js';

/** Span in which a plan's limits hold, ms. */
export const WINDOW_MS = 60_000;

/** State of one of a tenant's limits. */
export interface LimitState {
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** When the place of the oldest counted request becomes free; null if none is counted. */
  resetsAt: string | null;
}

/** Tells how much is left of the caller's limits, without counting anything. */
@Injectable()
export class LimitStates {
  constructor(
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** State from the limiter; limits come from the plan. */
  async of(rateClass: RateClass): Promise<LimitState> {
    const { limits, tenant } = currentPrincipal();
    const limit = limits[rateClass];
    const { remaining, resetMs } = await this.limiter.peek(rateClass, tenant.id, limit, WINDOW_MS);
    return {
      limit,
      windowSeconds: WINDOW_MS / 1000,
      remaining,
      resetsAt: remaining < limit ? new Date(this.clock.nowMs() + resetMs).toISOString() : null,
    };
  }
}
