import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Settings } from '#libs/config/settings.js';
import type { Clock } from '#libs/kernel/clock.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { type RateLimitObserver, RedisRateLimiter } from './redis-rate-limiter.js';
import type { RateLimiter, Verdict } from './verdict.js';

/** The only limit that is a bucket; all others are windows. */
export const BUCKET = 'scim';
/** Burst of an identity provider's connection; the bucket refills at 25 per second. */
export const SCIM_BURST = 100;
export const SCIM_FILL_MS = 4_000;

/** DI token of the {@link RateLimiter} behind the storage. */
export const RATE_LIMITER = Symbol('rateLimiter');

/** The result of a hit for @nestjs/throttler, plus the milliseconds that its whole seconds lose. */
export interface RateLimitRecord {
  /** Slots in use; above the limit for a refused request. */
  totalHits: number;
  /** Seconds, rounded up, until the next slot is released. */
  timeToExpire: number;
  isBlocked: boolean;
  /** Seconds, rounded up and at least 1, until a refused request can succeed; 0 for an allowed one. */
  timeToBlockExpire: number;
  remaining: number;
  resetMs: number;
  retryAfterMs: number;
}

/**
 * The configured limiter: shared through Redis with `REDIS_URL`, otherwise local to this process. Logs when sharing
 * stops and resumes, unless the observer does.
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
 * The storage of @nestjs/throttler, backed by the exact limiter. A refused request is not counted and does not prolong
 * the refusal, so `blockDuration` is not used: a caller is refused only until a slot is released.
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
   * Counts one hit.
   * @param key the limited caller; not shared between throttlers
   * @param ttl window in milliseconds; for the {@link BUCKET}, the time to fill it
   * @param throttlerName the limit
   * @param cost slots that the request uses
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
