import { Inject, Injectable } from '@nestjs/common';
import type { RateClass } from '#libs/request-counts/request-counts.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Clock } from '#libs/kernel/clock.js';
import { RATE_LIMITER } from './rate-limit.storage.js';
import type { RateLimiter } from './verdict.js';

/** Window of a plan's limits, in ms. */
export const WINDOW_MS = 60_000;

/** State of one of a tenant's limits. */
export interface LimitState {
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** When the slot of the oldest counted request is released; null if none is counted. */
  resetsAt: string | null;
}

/** Reports what is left of the caller's limits without counting a request. */
@Injectable()
export class LimitStates {
  constructor(
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter,
    private readonly clock: Clock,
  ) {}

  /** The state comes from the limiter, the limits from the plan. */
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
