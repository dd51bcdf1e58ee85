import { Clock } from '#libs/kernel/clock.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { BUCKET, createRateLimiter, RateLimitStorage } from './rate-limit.storage.js';
import { RedisRateLimiter } from './redis-rate-limiter.js';

class HandClock extends Clock {
  ms = 1_800_000_000_000;
  nowMs(): number {
    return this.ms;
  }
}

describe('RateLimitStorage', () => {
  it('answers as the throttler expects: whole seconds, and never blocked longer than until a place is free', async () => {
    const clock = new HandClock();
    const storage = new RateLimitStorage(new LocalRateLimiter(clock));
    const call = () => storage.increment('tenant', 60_000, 2, 999_999, 'read');
    expect(await call()).toMatchObject({ totalHits: 1, remaining: 1, isBlocked: false, timeToExpire: 60 });
    clock.ms += 20_500;
    expect(await call()).toMatchObject({ totalHits: 2, remaining: 0, isBlocked: false, timeToExpire: 40 });
    expect(await call()).toEqual({
      totalHits: 3,
      remaining: 0,
      isBlocked: true,
      timeToExpire: 40,
      timeToBlockExpire: 40,
      resetMs: 39_500,
      retryAfterMs: 39_500,
    });
    clock.ms += 39_499;
    expect(await call()).toMatchObject({ isBlocked: true, timeToBlockExpire: 1 });
    clock.ms += 1;
    expect(await call()).toMatchObject({ isBlocked: false, remaining: 0, timeToBlockExpire: 0 });
  });

  it('counts throttlers apart', async () => {
    const storage = new RateLimitStorage(new LocalRateLimiter(new HandClock()));
    expect((await storage.increment('tenant', 60_000, 1, 0, 'read')).isBlocked).toBe(false);
    expect((await storage.increment('tenant', 60_000, 1, 0, 'write')).isBlocked).toBe(false);
    expect((await storage.increment('tenant', 60_000, 1, 0, 'read')).isBlocked).toBe(true);
  });

  it('counts what identity providers ask as a bucket', async () => {
    const clock = new HandClock();
    const storage = new RateLimitStorage(new LocalRateLimiter(clock));
    const call = () => storage.increment('configuration', 4_000, 100, 0, BUCKET);
    for (let i = 0; i < 100; i++) expect((await call()).isBlocked).toBe(false);
    expect(await call()).toMatchObject({ isBlocked: true, timeToBlockExpire: 1, remaining: 0 });
    clock.ms += 40;
    expect([(await call()).isBlocked, (await call()).isBlocked]).toEqual([false, true]);
  });

  it('is shared exactly when a Redis is configured', () => {
    expect(createRateLimiter({ REDIS_URL: null }, new HandClock())).toBeInstanceOf(LocalRateLimiter);
    expect(createRateLimiter({ REDIS_URL: 'redis://127.0.0.1:1' }, new HandClock())).toBeInstanceOf(RedisRateLimiter);
  });
});
