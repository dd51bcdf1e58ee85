import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Bucket, BURN_WINDOWS, type BurnWindow, evaluate } from './slo-engine.js';

/** In the middle of an hour. */
const NOW = Date.parse('2026-11-26T10:42:17.123Z');
const OBJECTIVE = { objectivePercent: 99.9, windowDays: 30 };

interface Event {
  atMs: number;
  isGood: boolean;
}

/** The buckets that are stored for some events: minutes since the hour in which the last six hours began, else hours. */
function stored(events: readonly Event[], nowMs = NOW): Bucket[] {
  const minutesFrom = Math.floor((Math.floor(nowMs / MINUTE_MS) - 359) / 60) * HOUR_MS;
  const buckets = new Map<number, Bucket>();
  for (const { atMs, isGood } of events) {
    const length = atMs >= minutesFrom ? MINUTE_MS : HOUR_MS;
    const start = Math.floor(atMs / length) * length;
    const bucket = buckets.get(start) ?? { atMs: start, good: 0, bad: 0 };
    buckets.set(start, { ...bucket, ...(isGood ? { good: bucket.good + 1 } : { bad: bucket.bad + 1 }) });
  }
  return [...buckets.values()];
}

/** The definition as code: looks at every event for every figure. */
class BruteForce {
  constructor(
    private readonly events: readonly Event[],
    private readonly objective: { objectivePercent: number; windowDays: number },
  ) {}

  private within(minutes: number): { bad: number; all: number } {
    const minuteNow = NOW - (NOW % MINUTE_MS);
    let start = minuteNow - (minutes - 1) * MINUTE_MS;
    if (minutes > 360) start -= start % HOUR_MS;
    const inside = this.events.filter(({ atMs }) => atMs >= start);
    return { bad: inside.filter(({ isGood }) => !isGood).length, all: inside.length };
  }

  burn(minutes: number): number | null {
    const { bad, all } = this.within(minutes);
    return all === 0 ? null : (bad / all) * (100 / (100 - this.objective.objectivePercent));
  }

  private pair(rate: number, long: number, short: number): boolean {
    const { bad, all } = this.within(short);
    return bad >= 10 && all >= 100 && this.burns(rate, long) && this.burns(rate, short);
  }

  /** Whether a burn rate is reached, in whole numbers. */
  private burns(rate: number, minutes: number): boolean {
    const { bad, all } = this.within(minutes);
    const { windowDays } = this.objective;
    return 30_000_000n * BigInt(bad) >= BigInt(Math.round(rate * 10) * windowDays * all) * this.parts;
  }

  /** The budget in parts of 100,000. */
  private get parts(): bigint {
    return BigInt(Math.round((100 - this.objective.objectivePercent) * 1_000));
  }

  figures() {
    const { bad, all } = this.within(this.objective.windowDays * 1_440);
    const allowed = (all * (100 - this.objective.objectivePercent)) / 100;
    const fast = this.pair(14.4, 60, 5) || this.pair(6, 360, 30);
    const rest = fast ? 'burning_fast' : this.pair(1, 4_320, 360) ? 'burning_slow' : 'healthy';
    const status =
      all === 0 ? 'no_data' : bad > 0 && BigInt(bad) * 100_000n >= BigInt(all) * this.parts ? 'exhausted' : rest;
    return { total: all, sli: all === 0 ? null : (100 * (all - bad)) / all, allowed, bad, fast, status };
  }
}

function expectClose(actual: number | null, expected: number | null): void {
  if (actual === null || expected === null) return expect(actual).toBe(expected);
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(expected)));
}

/** Stretches of traffic, each with its own error rate, anywhere in the last 95 days. */
const trace = fc
  .array(
    fc.record({
      ageMinutes: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 95 * 1_440 })),
      events: fc.integer({ min: 1, max: 400 }),
      badEvery: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 60 })),
      spreadMinutes: fc.integer({ min: 1, max: 120 }),
    }),
    { maxLength: 12 },
  )
  .map((stretches) =>
    stretches.flatMap(({ ageMinutes, events, badEvery, spreadMinutes }) =>
      Array.from({ length: events }, (_, i): Event => ({
        atMs: NOW - Math.max(0, ageMinutes * MINUTE_MS - Math.floor((i * spreadMinutes * MINUTE_MS) / events)),
        isGood: i % badEvery !== badEvery - 1,
      })),
    ),
  );
const objective = fc.record({
  objectivePercent: fc.constantFrom(50, 90, 95, 99, 99.5, 99.9, 99.99, 99.999),
  windowDays: fc.constantFrom(7, 28, 30, 90),
});

describe('the figures of an objective', () => {
  it.each([
    [99, 594, 6],
    [99.9, 2_997, 3],
    [99.5, 995, 5],
  ])('of %d percent are exhausted by the last event of the budget: %d good, %d bad', (objectivePercent, good, bad) => {
    const found = evaluate({ objectivePercent, windowDays: 7 }, [{ atMs: NOW - DAY_MS, good, bad }], NOW);
    expect(found).toMatchObject({ status: 'exhausted', budgetTotal: bad, budgetUsedPercent: 100 });
  });

  it('equal those counted event by event', () => {
    fc.assert(
      fc.property(trace, objective, (events, wanted) => {
        const found = evaluate(wanted, stored(events), NOW);
        const reference = new BruteForce(events, wanted);
        const { total, sli, allowed, bad, fast, status } = reference.figures();
        expect([found.total, found.bad]).toEqual([total, bad]);
        expectClose(found.sliPercent, sli);
        expectClose(found.budgetTotal, allowed);
        expectClose(found.budgetUsedPercent, total === 0 ? null : (bad / allowed) * 100);
        for (const [window, minutes] of Object.entries(BURN_WINDOWS))
          expectClose(found.burnRates[window as BurnWindow], reference.burn(minutes));
        expect([found.burnsFast, found.status]).toEqual([fast, status]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('are unknown without events', () => {
    const found = evaluate(OBJECTIVE, [], NOW);
    expect(found).toMatchObject({ status: 'no_data', sliPercent: null, budgetUsedPercent: null, total: 0 });
    expect(found.projectedExhaustionMs).toBeNull();
  });

  it('project when the budget is spent at the pace of the last six hours', () => {
    const events = [
      { atMs: NOW - 10 * DAY_MS, good: 999_900, bad: 0 },
      { atMs: NOW - HOUR_MS, good: 0, bad: 100 },
    ];
    const found = evaluate(OBJECTIVE, events, NOW);
    expect(found.budgetTotal).toBeCloseTo(1_000, 6);
    expect(found.projectedExhaustionMs! - NOW).toBeCloseTo(54 * HOUR_MS, -3); // 900 are left, 100 in six hours
  });
});

/** Constant traffic by the second since `days` ago; the share of bad requests depends on the second. */
function traffic(days: number, perSecond: number, badShare: (atMs: number) => number, nowMs: number): Bucket[] {
  const minutesFrom = Math.floor((Math.floor(nowMs / MINUTE_MS) - 359) / 60) * HOUR_MS;
  const buckets: Bucket[] = [];
  for (let atMs = nowMs - days * DAY_MS; atMs < minutesFrom; atMs += HOUR_MS) {
    const bad = perSecond * 3_600 * badShare(atMs);
    buckets.push({ atMs: Math.floor(atMs / HOUR_MS) * HOUR_MS, good: perSecond * 3_600 - bad, bad });
  }
  for (let atMs = minutesFrom; atMs < nowMs; atMs += 1_000) {
    const bad = perSecond * badShare(atMs);
    buckets.push({ atMs: Math.floor(atMs / MINUTE_MS) * MINUTE_MS, good: perSecond - bad, bad });
  }
  return buckets;
}

describe('the alert', () => {
  it.each([0, 13_000, 31_000, 59_000])(
    'comes within 65 s of a full outage that begins %i ms into a minute',
    (offset) => {
      const beginMs = NOW - (NOW % MINUTE_MS) + offset;
      const down = (atMs: number) => (atMs >= beginMs ? 1 : 0);
      const delays = Array.from({ length: 90 }, (_, second) => second * 1_000);
      const delay = delays.find(
        (ms) => evaluate(OBJECTIVE, traffic(20, 10, down, beginMs + ms), beginMs + ms).burnsFast,
      );
      expect(delay).toBeGreaterThan(30_000);
      expect(delay).toBeLessThanOrEqual(65_000); // counts are up to 10 s old, and evaluated every 15 s: 90 s in all
    },
  );

  it('does not come with 0.1 % of errors, all the time for a week', () => {
    const begin = NOW - 7 * DAY_MS;
    for (let atMs = begin + 37 * MINUTE_MS; atMs <= NOW; atMs += 37 * MINUTE_MS)
      expect(
        evaluate(
          OBJECTIVE,
          traffic(Math.ceil((atMs - begin) / DAY_MS), 50, () => 0.001, atMs),
          atMs,
        ).burnsFast,
      ).toBe(false);
  });

  it('does not come for fewer than 10 failures or 100 requests', () => {
    const burst = (good: number, bad: number) => evaluate(OBJECTIVE, [{ atMs: NOW - MINUTE_MS, good, bad }], NOW);
    expect([burst(91, 9), burst(89, 10), burst(90, 10)].map(({ burnsFast }) => burnsFast)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('comes although the budget is spent', () => {
    expect(evaluate(OBJECTIVE, [{ atMs: NOW - MINUTE_MS, good: 90, bad: 10 }], NOW)).toMatchObject({
      status: 'exhausted',
      burnsFast: true,
    });
  });

  it.each([
    [7, 4, true],
    [30, 4, false],
    [30, 15, true],
    [90, 15, false],
    [90, 44, true],
  ])('of a window of %i days comes at a rate that is linear in its length (%i: %s)', (windowDays, rate, isOn) => {
    const bad = rate * 10;
    const history = { atMs: NOW - 6 * DAY_MS, good: 10_000_000, bad: 0 };
    const found = evaluate({ ...OBJECTIVE, windowDays }, [history, { atMs: NOW, good: 10_000 - bad, bad }], NOW);
    expect(found.status).toBe(isOn ? 'burning_fast' : 'burning_slow');
  });
});
