import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Settings } from '#libs/config/settings.js';
import type { Clock } from '#libs/kernel/clock.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { type RateLimitObserver, RedisRateLimiter } from './redis-rate-limiter.js';
import type { RateLimiter, Verdict } from './verdict.js';

/** The limit that is a bucket; all others are windows. */
export const BUCKET = 'scim';
/** Burst of an identity provider's connection; 25 more each second. */
export const SCIM_BURST = 100;
export const SCIM_FILL_MS = 4_000;

/** DI token of the {@link RateLimiter} behind the storage. */
export const RATE_LIMITER = Symbol('rateLimiter');

/** One call as @nestjs/throttler counts it, with the milliseconds that its own whole seconds lose. */
export interface RateLimitRecord {
  /** Places in use now; above the limit for a refused call. */
  totalHits: number;
  /** Seconds, rounded up, until the next place becomes free. */
  timeToExpire: number;
  isBlocked: boolean;
  /** Seconds, rounded up and at least 1, until a refused call can succeed; 0 for an allowed one. */
  timeToBlockExpire: number;
  remaining: number;
  resetMs: number;
  retryAfterMs: number;
}

/**
 * The limiter that the settings ask for: shared through Redis with `REDIS_URL`, else of this process. Unless the observer
 * does, it logs when sharing stops and when it works again.
 */
export function createRateLimiter(
  settings: Pick<Settings, 'REDIS_URL'>,
  clock: Clock,
  observer?: RateLimitObserver,
): RateLimiter {
  if (settings.REDIS_URL === null) return new LocalRateLimiter(clock);
  return new RedisRateLimiter({ url: settings.REDIS_URL, clock, observer: { changed: log, ...observer } });
}

function log(shared: boolean, line: string): void {
  const logger = new Logger('RateLimits');
  if (shared) logger.log(line);
  else logger.warn(line);
}

/**
 * The storage of @nestjs/throttler over the exact limiter. A refused call is not counted and extends nothing, so
 * `blockDuration` has no meaning here: a caller is refused only until a place is free.
 */
@Injectable()
export class RateLimitStorage implements ThrottlerStorage, OnModuleInit, OnApplicationShutdown {
  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter) {}

  async onModuleInit(): Promise<void> {
    await this.limiter.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.limiter.close();
  }

  /**
   * Counts one call.
   * @param key who is limited; not shared between throttlers
   * @param ttl window in milliseconds; of the {@link BUCKET}, how long it takes to fill
   * @param throttlerName which limit
   * @param cost places that the call takes
   */
  increment(
    key: string,
    ttl: number,
    limit: number,
    _blockDuration: number,
    throttlerName: string,
    cost = 1,
  ): Promise<RateLimitRecord> {
    const count = throttlerName === BUCKET ? 'take' : 'hit';
    const verdict = this.limiter[count](throttlerName, key, limit, ttl, cost);
    return verdict instanceof Promise
      ? verdict.then((late) => toRecord(late, limit))
      : Promise.resolve(toRecord(verdict, limit));
  }
}

function toRecord(verdict: Verdict, limit: number): RateLimitRecord {
  const { allowed, remaining, resetMs, retryAfterMs } = verdict;
  return {
    totalHits: limit - remaining + (allowed ? 0 : 1),
    timeToExpire: Math.ceil(resetMs / 1000),
    isBlocked: !allowed,
    timeToBlockExpire: allowed ? 0 : Math.max(1, Math.ceil(retryAfterMs / 1000)),
    remaining,
    resetMs,
    retryAfterMs,
  };
}
