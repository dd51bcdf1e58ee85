import { Clock } from '#libs/kernel/clock.js';
import { LocalRateLimiter } from './local-rate-limiter.js';
import { MonotoneClock } from './monotone-clock.js';

class HandClock extends Clock {
  ms = 1_800_000_000_000;
  nowMs(): number {
    return this.ms;
  }
}

describe('MonotoneClock', () => {
  it('goes on at the pace of the monotonic clock while the clock is behind, and follows it again afterwards', () => {
    const clock = new HandClock();
    let monotonic = 500;
    const time = new MonotoneClock(clock, () => monotonic);
    const start = time.nowMs();
    clock.ms -= 3_600_000;
    expect(time.nowMs()).toBe(start);
    monotonic += 30_000;
    clock.ms += 30_000;
    expect(time.nowMs()).toBe(start + 30_000);
    monotonic += 30_000;
    expect(time.nowMs()).toBe(start + 60_000);
    clock.ms = start + 60_001;
    expect(time.nowMs()).toBe(start + 60_001);
    clock.ms = start;
    expect(time.nowMs()).toBe(start + 60_001);
  });
});

describe('LocalRateLimiter', () => {
  it('does not admit more when the clock is set back and forth', () => {
    const clock = new HandClock();
    const limiter = new LocalRateLimiter(clock);
    const admitted = () => limiter.hit('read', 'tenant', 3, 60_000).allowed;
    expect([admitted(), admitted(), admitted(), admitted()]).toEqual([true, true, true, false]);
    clock.ms -= 3_600_000;
    expect(admitted()).toBe(false);
    clock.ms += 3_600_000 + 50_000;
    expect(admitted()).toBe(false);
    clock.ms += 10_000;
    expect(admitted()).toBe(true);
  });

  it('counts scopes apart', () => {
    const limiter = new LocalRateLimiter(new HandClock());
    expect(limiter.hit('read', 'tenant', 1, 60_000).allowed).toBe(true);
    expect(limiter.hit('write', 'tenant', 1, 60_000).allowed).toBe(true);
    expect(limiter.peek('read', 'tenant', 1, 60_000).allowed).toBe(false);
  });
});
