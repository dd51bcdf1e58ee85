import fc from 'fast-check';
import { Clock, SystemClock } from '#libs/kernel/clock.js';
import { redisAvailable, RedisServer } from '#libs/testing/redis-server.js';
import { until } from '#libs/testing/until.js';
import { type DegradedReason, RedisRateLimiter, type RedisRateLimiterOptions } from './redis-rate-limiter.js';
import { EXACT_LIMIT, SlidingWindow } from './sliding-window.js';
import { TokenBucket } from './token-bucket.js';

const WINDOW_MS = 60_000;
const START_MS = 1_800_000_000_000;

class HandClock extends Clock {
  ms = START_MS;
  nowMs(): number {
    return this.ms;
  }
}

(redisAvailable() ? describe : describe.skip)('RedisRateLimiter', () => {
  let redis: RedisServer;
  const open: RedisRateLimiter[] = [];

  async function limiter(options: Partial<RedisRateLimiterOptions> = {}): Promise<RedisRateLimiter> {
    // A busy test machine may be slower than the production limit. This test checks exactness.
    const made = new RedisRateLimiter({ url: redis.url, clock: new SystemClock(), silenceMs: 5_000, ...options });
    open.push(made);
    await made.start();
    return made;
  }

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  beforeEach(() => redis.wipe());
  afterEach(() => Promise.all(open.splice(0).map((made) => made.close())));
  afterAll(() => redis.dispose());

  it.each([
    ['exact', 7, 9],
    ['merged', EXACT_LIMIT + 1_000, 999],
  ])('decides as one %s window in one process, over several processes', async (_name, limit, mostCost) => {
    const clock = new HandClock();
    const options = { clock, redisNowMs: () => clock.ms };
    const processes = await Promise.all([limiter(options), limiter(options), limiter(options)]);
    const call = fc.record({
      process: fc.nat(2),
      cost: fc.oneof(fc.constant(mostCost > 9 ? mostCost : 1), fc.integer({ min: 1, max: mostCost })),
      pauseMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 10_000, max: 70_000 }),
        fc.constantFrom(WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 1),
      ),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 100 }), async (calls) => {
        const key = `tenant-${run++}`;
        const reference = new SlidingWindow();
        for (const { process, cost, pauseMs } of calls) {
          clock.ms += pauseMs;
          const looked = await processes[process]!.peek('read', key, limit, WINDOW_MS, cost);
          expect(looked).toEqual(reference.peek(limit, clock.ms, WINDOW_MS, cost));
          const verdict = await processes[process]!.hit('read', key, limit, WINDOW_MS, cost);
          const expected = reference.hit(limit, clock.ms, WINDOW_MS, cost);
          if (expected.allowed) expect(verdict).toEqual(expected);
          else expect(verdict.allowed).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('decides as one bucket in one process, over several processes', async () => {
    const clock = new HandClock();
    const options = { clock, redisNowMs: () => clock.ms };
    const processes = await Promise.all([limiter(options), limiter(options), limiter(options)]);
    const call = fc.record({
      process: fc.nat(2),
      pauseMs: fc.oneof(fc.constant(0), fc.constantFrom(39, 40, 41), fc.integer({ min: 0, max: 300 })),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 20, maxLength: 100 }), async (calls) => {
        const key = `configuration-${run++}`;
        const reference = new TokenBucket();
        for (const { process, pauseMs } of calls) {
          clock.ms += pauseMs;
          const verdict = await processes[process]!.take('scim', key, 10, 400);
          const expected = reference.hit(10, clock.ms, 400, 1);
          if (expected.allowed) expect(verdict).toEqual(expected);
          else expect(verdict).toMatchObject({ allowed: false, retryAfterMs: expected.retryAfterMs });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('gives exactly a full bucket to parallel calls of four processes, and then what fills', async () => {
    const clock = new HandClock();
    const options = { clock, redisNowMs: () => clock.ms };
    const processes = await Promise.all([limiter(options), limiter(options), limiter(options), limiter(options)]);
    const given = async (): Promise<number> => {
      const calls = Array.from({ length: 400 }, async (_, i) => processes[i % 4]!.take('scim', 'one', 100, 4_000));
      return (await Promise.all(calls)).filter(({ allowed }) => allowed).length;
    };
    expect(await given()).toBe(100);
    clock.ms += 1_000;
    expect(await given()).toBe(25);
    clock.ms += 60_000;
    expect(await given()).toBe(100);
  });

  it('never admits one too many in any window to four processes that call in parallel', async () => {
    const limit = 50;
    const windowMs = 300;
    const processes = await Promise.all([limiter(), limiter(), limiter(), limiter()]);
    const accepted: { sentMs: number; answeredMs: number }[] = [];
    let refused = 0;
    const caller = async (process: RedisRateLimiter): Promise<void> => {
      while (accepted.length < limit * 6) {
        const sentMs = performance.now();
        const { allowed } = await process.hit('read', 'tenant', limit, windowMs);
        if (allowed) accepted.push({ sentMs, answeredMs: performance.now() });
        else {
          refused++;
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    };
    await Promise.all(processes.flatMap((process) => Array.from({ length: 50 }, () => caller(process))));
    expect(refused).toBeGreaterThan(0);
    // Redis decided between sending and receiving, so these were certainly within one window.
    for (const { sentMs } of accepted) {
      const surely = accepted.filter((hit) => hit.sentMs >= sentMs && hit.answeredMs < sentMs + windowMs);
      expect(surely.length).toBeLessThanOrEqual(limit);
    }
  });

  it('admits exactly the limit out of many parallel calls of four processes', async () => {
    const processes = await Promise.all([limiter(), limiter(), limiter(), limiter()]);
    const verdicts = await Promise.all(
      Array.from({ length: 2_000 }, async (_, call) => processes[call % 4]!.hit('write', 'tenant', 137, WINDOW_MS)),
    );
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(137);
    const peeked = await processes[0].peek('write', 'tenant', 137, WINDOW_MS);
    expect(peeked).toMatchObject({ allowed: false, remaining: 0 });
    expect(peeked.retryAfterMs).toBeGreaterThan(WINDOW_MS - 15_000);
  });

  it('does not ask Redis again about a caller it has just refused, unless the limit was raised', async () => {
    const [one, other] = [await limiter(), await limiter()];
    expect((await one.hit('read', 'tenant', 1, WINDOW_MS)).allowed).toBe(true);
    expect((await other.hit('read', 'tenant', 1, WINDOW_MS)).allowed).toBe(false);
    await redis.command('CONFIG RESETSTAT');
    for (let call = 0; call < 5; call++) {
      const verdict = await other.hit('read', 'tenant', 1, WINDOW_MS);
      expect(verdict).toMatchObject({ allowed: false, remaining: 0 });
      expect(verdict.retryAfterMs).toBeGreaterThan(WINDOW_MS - 15_000);
      expect(verdict.resetMs).toBe(verdict.retryAfterMs);
    }
    expect(await redis.command('INFO commandstats')).not.toContain('evalsha');
    expect(await other.hit('read', 'tenant', 3, WINDOW_MS)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it('admits nothing more when the clock of Redis goes back a little', async () => {
    const clock = new HandClock();
    let redisMs = clock.ms;
    const [one, other] = [
      await limiter({ clock, redisNowMs: () => redisMs }),
      await limiter({ clock, redisNowMs: () => redisMs }),
    ];
    expect((await one.hit('read', 'tenant', 2, WINDOW_MS)).allowed).toBe(true);
    redisMs -= 5_000;
    expect((await one.hit('read', 'tenant', 2, WINDOW_MS)).allowed).toBe(true);
    redisMs += WINDOW_MS + 4_999;
    expect((await other.peek('read', 'tenant', 2, WINDOW_MS)).remaining).toBe(0);
    redisMs += 1;
    expect((await other.peek('read', 'tenant', 2, WINDOW_MS)).remaining).toBe(2);
  });

  it('leaves nothing behind in Redis once the window has passed', async () => {
    const one = await limiter();
    await one.hit('read', 'tenant', 5, 50);
    await one.take('scim', 'one', 5, 50);
    await until(async () => (await redis.command('DBSIZE')) === ':0\r\n');
  });

  it('keeps nobody waiting longer than until a bucket is full when the clock of Redis is set back', async () => {
    const clock = new HandClock();
    let redisMs = clock.ms;
    const [first, second] = [
      await limiter({ clock, redisNowMs: () => redisMs }),
      await limiter({ clock, redisNowMs: () => redisMs }),
    ];
    for (let call = 0; call < 4; call++) await first.take('scim', 'one', 4, 400);
    redisMs -= 3_600_000;
    expect(await second.take('scim', 'one', 4, 400)).toMatchObject({ allowed: false, retryAfterMs: 100 });
    redisMs += 400;
    clock.ms += 400;
    expect((await second.take('scim', 'one', 4, 400)).allowed).toBe(true);
  });

  it('keeps nobody waiting longer than a window when the clock of Redis is set back', async () => {
    const clock = new HandClock();
    let redisMs = clock.ms;
    const [first, second] = [
      await limiter({ clock, redisNowMs: () => redisMs }),
      await limiter({ clock, redisNowMs: () => redisMs }),
    ];
    for (let hit = 0; hit < 3; hit++) await first.hit('read', 'tenant', 3, WINDOW_MS);
    redisMs -= 3_600_000;
    expect(await second.hit('read', 'tenant', 3, WINDOW_MS)).toMatchObject({ allowed: false, retryAfterMs: WINDOW_MS });
    redisMs += WINDOW_MS;
    clock.ms += WINDOW_MS;
    expect((await second.hit('read', 'tenant', 3, WINDOW_MS)).allowed).toBe(true);
  });

  describe('without an answer from Redis', () => {
    const degraded: DegradedReason[] = [];
    const lines: { shared: boolean; line: string }[] = [];
    const observer = {
      degraded: (reason: DegradedReason) => void degraded.push(reason),
      changed: (shared: boolean, line: string) => void lines.push({ shared, line }),
    };
    beforeEach(() => {
      degraded.length = 0;
      lines.length = 0;
    });

    it('goes on with the part of this process when the server stops, and shares again when it is back', async () => {
      const one = await limiter({ observer, silenceMs: 500 });
      for (let hit = 0; hit < 4; hit++) await one.hit('read', 'tenant', 10, WINDOW_MS);
      for (let call = 0; call < 4; call++) await one.take('scim', 'one', 10, 10 * WINDOW_MS);
      await redis.kill();
      const verdicts = [];
      for (let hit = 0; hit < 20; hit++) verdicts.push(await one.hit('read', 'tenant', 10, WINDOW_MS));
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(6);
      const taken = [];
      for (let call = 0; call < 20; call++) taken.push(await one.take('scim', 'one', 10, 10 * WINDOW_MS));
      expect(taken.filter(({ allowed }) => allowed)).toHaveLength(6);
      expect(degraded.length).toBeGreaterThanOrEqual(6);
      expect(lines).toEqual([{ shared: false, line: expect.stringContaining('each process limits on its own') }]);

      await redis.start();
      await until(async () => {
        await one.peek('read', 'tenant', 10, WINDOW_MS);
        return lines.length === 2;
      });
      expect(lines[1]).toEqual({ shared: true, line: 'Rate limits are shared again through Redis.' });
      const count = degraded.length;
      expect((await one.hit('read', 'another', 10, WINDOW_MS)).allowed).toBe(true);
      expect(degraded).toHaveLength(count);
    });

    it('does not wait for a server that hangs', async () => {
      const one = await limiter({ observer, silenceMs: 20 });
      redis.pause();
      try {
        expect(await one.hit('read', 'tenant', 2, WINDOW_MS)).toMatchObject({ allowed: true, remaining: 1 });
        expect(degraded).toEqual(['slow']);
        // Redis is known to hang by now, so the next hit is decided synchronously.
        expect(one.hit('read', 'tenant', 2, WINDOW_MS)).toMatchObject({ allowed: true, remaining: 0 });
        expect(one.hit('read', 'tenant', 2, WINDOW_MS)).toMatchObject({ allowed: false });
      } finally {
        redis.resume();
      }
      await until(async () => {
        await one.peek('read', 'tenant', 2, WINDOW_MS);
        return lines.at(-1)?.shared === true;
      });
    });

    it('starts without a server and uses it when it comes up', async () => {
      await redis.kill();
      const one = new RedisRateLimiter({ url: redis.url, clock: new SystemClock(), observer, silenceMs: 500 });
      open.push(one);
      await one.start();
      expect(await one.hit('read', 'tenant', 1, WINDOW_MS)).toMatchObject({ allowed: true });
      expect(await one.hit('read', 'tenant', 1, WINDOW_MS)).toMatchObject({ allowed: false });
      expect(degraded).toContain('disconnected');
      await redis.start();
      await until(async () => {
        await one.peek('read', 'tenant', 1, WINDOW_MS);
        return lines.at(-1)?.shared === true;
      });
    });

    it('answers in process after it was closed', async () => {
      const one = await limiter();
      await one.close();
      expect(await one.hit('read', 'tenant', 1, WINDOW_MS)).toMatchObject({ allowed: true });
    });
  });

  it('works on a cluster', async () => {
    const cluster = await RedisServer.start({ cluster: true });
    try {
      const processes = await Promise.all([limiter({ url: cluster.url }), limiter({ url: cluster.url })]);
      for (let tenant = 0; tenant < 20; tenant++) {
        const calls = Array.from({ length: 10 }, async (_, call) =>
          processes[call % 2]!.hit('read', `tenant-${tenant}`, 5, WINDOW_MS),
        );
        expect((await Promise.all(calls)).filter(({ allowed }) => allowed)).toHaveLength(5);
      }
      await Promise.all(open.splice(0).map((made) => made.close()));
    } finally {
      await cluster.dispose();
    }
  });
});
