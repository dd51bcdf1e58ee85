import fc from 'fast-check';
import { TokenBucket } from './token-bucket.js';

const LIMIT = 100;
const FILL_MS = 4_000;
const PLACE_MS = FILL_MS / LIMIT;
const START_MS = 1_800_000_000_000;

/**
 * The definition as code: the bucket fills millisecond by millisecond, is never more than full, and a hit takes one
 * token.
 */
class BruteForce {
  private heldMs = FILL_MS;

  hit(pauseMs: number): { allowed: boolean; remaining: number } {
    for (let ms = 0; ms < pauseMs; ms++) if (this.heldMs < FILL_MS) this.heldMs++;
    const allowed = this.heldMs >= PLACE_MS;
    if (allowed) this.heldMs -= PLACE_MS;
    return { allowed, remaining: Math.floor(this.heldMs / PLACE_MS) };
  }
}

describe('TokenBucket', () => {
  it('gives what a bucket gives that is filled drop by drop', () => {
    const pause = fc.oneof(fc.constant(0), fc.constantFrom(PLACE_MS - 1, PLACE_MS), fc.integer({ min: 0, max: 500 }));
    fc.assert(
      fc.property(fc.array(pause, { minLength: 150, maxLength: 400 }), (pauses) => {
        const [bucket, reference] = [new TokenBucket(), new BruteForce()];
        let nowMs = START_MS;
        for (const pauseMs of pauses) {
          nowMs += pauseMs;
          expect(bucket.hit(LIMIT, nowMs, FILL_MS, 1)).toMatchObject(reference.hit(pauseMs));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never gives more than the burst and what filled since, in any span', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 200, maxLength: 600 }), (pauses) => {
        const bucket = new TokenBucket();
        const given: number[] = [];
        let nowMs = START_MS;
        for (const pauseMs of pauses) {
          nowMs += pauseMs;
          if (bucket.hit(LIMIT, nowMs, FILL_MS, 1).allowed) given.push(nowMs);
        }
        for (let first = 0; first < given.length; first += 7)
          for (let last = first; last < given.length; last += 7)
            expect(last - first + 1).toBeLessThanOrEqual(LIMIT + (given[last]! - given[first]!) / PLACE_MS);
      }),
      { numRuns: 100 },
    );
  });

  it('never refuses whoever keeps to 25 a second, right after a burst', () => {
    const bucket = new TokenBucket();
    for (let call = 0; call < LIMIT; call++)
      expect(bucket.hit(LIMIT, START_MS, FILL_MS, 1)).toMatchObject({ allowed: true, remaining: LIMIT - 1 - call });
    expect(bucket.hit(LIMIT, START_MS, FILL_MS, 1)).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: PLACE_MS,
      retryAfterMs: PLACE_MS,
    });
    for (let call = 1; call <= 1_000; call++) {
      const nowMs = START_MS + call * PLACE_MS;
      expect(bucket.peek(LIMIT, nowMs - 1, FILL_MS, 1)).toMatchObject({ allowed: false, retryAfterMs: 1, resetMs: 1 });
      expect(bucket.hit(LIMIT, nowMs, FILL_MS, 1)).toMatchObject({ allowed: true, remaining: 0 });
      expect(bucket.hit(LIMIT, nowMs, FILL_MS, 1).allowed).toBe(false);
    }
  });

  it('gives nothing more when the clock goes back', () => {
    const bucket = new TokenBucket();
    for (let call = 0; call < LIMIT; call++) bucket.hit(LIMIT, START_MS, FILL_MS, 1);
    for (const nowMs of [START_MS - 3_600_000, START_MS])
      expect(bucket.hit(LIMIT, nowMs, FILL_MS, 1)).toMatchObject({ allowed: false, retryAfterMs: PLACE_MS });
  });

  it('is idle once it is full', () => {
    const bucket = new TokenBucket();
    expect(bucket.isIdle(START_MS)).toBe(true);
    expect(bucket.peek(LIMIT, START_MS, FILL_MS, 1)).toEqual({
      allowed: true,
      remaining: LIMIT,
      resetMs: 0,
      retryAfterMs: 0,
    });
    bucket.hit(LIMIT, START_MS, FILL_MS, 1);
    expect([bucket.isIdle(START_MS + PLACE_MS - 1), bucket.isIdle(START_MS + PLACE_MS)]).toEqual([false, true]);
  });
});
