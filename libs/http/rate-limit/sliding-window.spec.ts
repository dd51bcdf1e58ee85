import fc from 'fast-check';
import { EXACT_LIMIT, SlidingWindow } from './sliding-window.js';

const WINDOW_MS = 60_000;
const START_MS = 1_800_000_000_000;

/** The definition as code: a hit at `h` counts at `now` while `h <= now < h + window`. */
class BruteForce {
  readonly accepted: { atMs: number; cost: number }[] = [];

  hit(limit: number, nowMs: number, windowMs: number, cost: number) {
    const counted = this.accepted.filter(({ atMs }) => atMs + windowMs > nowMs);
    const used = counted.reduce((sum, hit) => sum + hit.cost, 0);
    const allowed = used + cost <= limit;
    if (allowed) {
      this.accepted.push({ atMs: nowMs, cost });
      counted.push({ atMs: nowMs, cost });
    }
    const usedNow = allowed ? used + cost : used;
    const leaving = counted.flatMap((hit) => Array<number>(hit.cost).fill(hit.atMs + windowMs - nowMs));
    return {
      allowed,
      remaining: Math.max(0, limit - usedNow),
      resetMs: leaving[0] ?? 0,
      retryAfterMs: allowed ? 0 : cost > limit || used === 0 ? windowMs : leaving[used + cost - limit - 1],
    };
  }
}

const pauseMs = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 10_000, max: 70_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1) },
);

describe('SlidingWindow', () => {
  it('decides every call as the definition does, whatever the arrivals, costs and changes of the limit', () => {
    const call = fc.record({
      pauseMs,
      limit: fc.oneof({ weight: 5, arbitrary: fc.constant(7) }, fc.integer({ min: 0, max: 12 })),
      cost: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 9 })),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 120 }), (calls) => {
        const window = new SlidingWindow();
        const reference = new BruteForce();
        let now = START_MS;
        for (const { pauseMs, limit, cost } of calls) {
          now += pauseMs;
          const looked = window.peek(limit, now, WINDOW_MS, cost);
          const verdict = window.hit(limit, now, WINDOW_MS, cost);
          expect(verdict).toEqual(reference.hit(limit, now, WINDOW_MS, cost));
          expect(looked.allowed).toBe(verdict.allowed);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('merges hits above the exact limit without ever admitting one too many or keeping a place 100 ms too long', () => {
    const limit = EXACT_LIMIT + 5_000;
    const call = fc.record({
      pauseMs: fc.oneof(
        { weight: 30, arbitrary: fc.integer({ min: 0, max: 99 }) },
        { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 20_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: WINDOW_MS - 2_000, max: WINDOW_MS + 150 }) },
      ),
      cost: fc.oneof({ weight: 9, arbitrary: fc.constant(1_000) }, fc.integer({ min: 1, max: 999 })),
    });
    fc.assert(
      fc.property(fc.array(call, { minLength: 60, maxLength: 200 }), (calls) => {
        const window = new SlidingWindow();
        const accepted: { atMs: number; cost: number }[] = [];
        const usedSince = (ms: number) => accepted.reduce((sum, { atMs, cost }) => (atMs > ms ? sum + cost : sum), 0);
        let now = START_MS;
        for (const { pauseMs, cost } of calls) {
          now += pauseMs;
          const { allowed } = window.hit(limit, now, WINDOW_MS, cost);
          if (allowed) accepted.push({ atMs: now, cost });
          else expect(usedSince(now - WINDOW_MS - 100) + cost).toBeGreaterThan(limit);
          expect(usedSince(now - WINDOW_MS)).toBeLessThanOrEqual(limit);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('frees a place exactly one window after its hit and not a millisecond earlier', () => {
    const window = new SlidingWindow();
    for (let hit = 0; hit < 60; hit++)
      expect(window.hit(60, START_MS + hit, WINDOW_MS, 1)).toMatchObject({ allowed: true, remaining: 59 - hit });
    expect(window.hit(60, START_MS + WINDOW_MS - 1, WINDOW_MS, 1)).toEqual({
      allowed: false,
      remaining: 0,
      resetMs: 1,
      retryAfterMs: 1,
    });
    expect(window.hit(60, START_MS + WINDOW_MS, WINDOW_MS, 1).allowed).toBe(true);
    expect(window.hit(60, START_MS + WINDOW_MS, WINDOW_MS, 1).allowed).toBe(false);
  });

  it('admits nothing more when the clock goes back', () => {
    const arrival = fc.oneof(
      fc.integer({ min: 0, max: 3 * WINDOW_MS }),
      fc.integer({ min: 0, max: 3 }).map((windows) => windows * WINDOW_MS),
    );
    const cost = fc.constantFrom(1, 1, 1, 3); // three never fit, but their refusals have seen the clock
    fc.assert(
      fc.property(fc.array(fc.tuple(arrival, cost), { minLength: 10, maxLength: 60 }), (calls) => {
        const window = new SlidingWindow();
        const accepted: number[] = [];
        let latest = -Infinity;
        for (const [arrivedMs, cost] of calls) {
          // The true time is at least the latest time seen.
          latest = Math.max(latest, START_MS + arrivedMs);
          if (window.hit(2, START_MS + arrivedMs, WINDOW_MS, cost).allowed) accepted.push(latest);
          expect(accepted.filter((atMs) => atMs > latest - WINDOW_MS).length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('holds a bounded number of cells however high the limit', () => {
    const window = new SlidingWindow();
    let most = 0;
    for (let now = START_MS; now < START_MS + 3 * WINDOW_MS; now += 7) {
      window.hit(1_000_000, now, WINDOW_MS, 50);
      most = Math.max(most, window.cells);
    }
    expect(most).toBeLessThanOrEqual(601);
  });
});
