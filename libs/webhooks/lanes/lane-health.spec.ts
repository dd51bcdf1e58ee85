import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/kernel/durations.js';
import { healthView } from './lane-health-view.js';
import {
  dueStep,
  FRESH,
  hasRecovered,
  isBad,
  isTroubled,
  type LaneHealth,
  nextHealth,
  NO_MORE_WARNINGS,
  type Outcome,
} from './lane-health.js';

const NOW = Date.parse('2026-11-21T09:15:02.114Z');

const outcome = (changes: Partial<Outcome>): Outcome => ({
  endpointId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30',
  error: null,
  httpStatus: 200,
  durationMs: 20,
  retryAfterMs: null,
  troubled: true,
  manual: false,
  ...changes,
});
const success = outcome({});
const answered = (httpStatus: number, more: Partial<Outcome> = {}) =>
  outcome({ error: 'http_status', httpStatus, ...more });
const unreached = (error: string, more: Partial<Outcome> = {}) => outcome({ error, httpStatus: null, ...more });
const unavailable = answered(503);
const times = (count: number, each: Outcome) => Array.from({ length: count }, () => each);

/** The health after failures at `NOW` that open the breaker, and `reopenings` failed attempts afterwards. */
function opened(reopenings = 0): LaneHealth {
  let health = nextHealth(FRESH, times(5, unavailable), NOW);
  for (let count = 0; count < reopenings; count++)
    health = nextHealth(health, [unavailable], health.openUntilMs! + 100);
  return health;
}

describe('the breaker', () => {
  it('opens for 30 s after 5 failures without a success between them', () => {
    expect(nextHealth(FRESH, times(4, unavailable), NOW)).toMatchObject({ openings: 0, openUntilMs: null });
    const health = nextHealth(FRESH, [...times(4, unavailable), success, ...times(4, unavailable)], NOW);
    expect(health.openUntilMs).toBeNull();
    expect(opened()).toMatchObject({ openings: 1, openUntilMs: NOW + 30 * SECOND_MS });
  });

  it.each([
    ...[429, 502, 503, 504].map((status) => answered(status)),
    ...['timeout', 'dns_failure', 'connect_refused', 'connect_timeout', 'connect_failed', 'tls_error'].map((each) =>
      unreached(each),
    ),
    ...['connection_reset', 'protocol_error', 'blocked_address'].map((each) => unreached(each)),
    answered(503, { error: 'timeout' }),
  ])('is fed by $error $httpStatus', (failure) => {
    expect(nextHealth(FRESH, times(5, failure), NOW).openings).toBe(1);
  });

  it.each([
    ...[400, 401, 404, 422, 500, 501].map((status) => answered(status)),
    answered(302, { error: 'redirect' }),
    answered(410, { error: 'endpoint_gone' }),
    unreached('blocked_url'),
    unreached('invalid_request'),
  ])('is not fed by $error $httpStatus, which counts as a failure of the endpoint', (failure) => {
    const health = nextHealth(FRESH, times(100, failure), NOW);
    expect(health).toMatchObject({ openUntilMs: null, openings: 0, failingSinceMs: NOW, failedAttempts: 100 });
  });

  it('opens when at least half of at least 20 attempts have failed within a minute', () => {
    const half = [unavailable, success];
    const pairs = (count: number) => Array.from({ length: count }, () => half).flat();
    expect(nextHealth(FRESH, pairs(9), NOW).openings).toBe(0);
    const open = nextHealth(FRESH, [...pairs(9), success, unavailable], NOW);
    expect(open.openings).toBe(1);
    expect(nextHealth(open, [unavailable], NOW + MINUTE_MS)).toMatchObject({
      openings: 2,
      openUntilMs: NOW + 2 * MINUTE_MS,
    });
    const mostlyGood = Array.from({ length: 20 }, () => [unavailable, success, success]).flat();
    expect(nextHealth(FRESH, mostlyGood, NOW).openings).toBe(0);
    const later = nextHealth(nextHealth(FRESH, pairs(9), NOW), pairs(9), NOW + MINUTE_MS);
    expect(later).toMatchObject({ openings: 0, windowAttempts: 18 });
  });

  it('stays open twice as long with each reopening, 15 minutes at most', () => {
    const seconds = Array.from({ length: 8 }, (_, count) => {
      const { openings, openUntilMs } = opened(count);
      expect(openings).toBe(count + 1);
      const before = count === 0 ? NOW : opened(count - 1).openUntilMs! + 100;
      return (openUntilMs! - before) / SECOND_MS;
    });
    expect(seconds).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  });

  it('is closed by a success, which forgets the openings', () => {
    const open = opened(3);
    const closed = nextHealth(open, [success], open.openUntilMs! + SECOND_MS);
    expect(closed).toEqual({
      ...FRESH,
      lastSuccessAtMs: open.openUntilMs! + SECOND_MS,
      lastFailureAtMs: expect.any(Number),
    });
    expect(isTroubled(closed)).toBe(false);
    expect(nextHealth(closed, times(4, unavailable), NOW + HOUR_MS).openings).toBe(0);
  });

  it('is neither closed nor reopened by an answer that refuses the delivery', () => {
    const open = opened();
    const after = nextHealth(open, [answered(422)], open.openUntilMs! + SECOND_MS);
    expect(after).toMatchObject({ openings: 1, openUntilMs: open.openUntilMs });
  });

  it('is closed by the success of an attempt that somebody asked for, and not held open by its failure', () => {
    const open = opened();
    const asked = { manual: true };
    expect(nextHealth(open, [outcome(asked)], NOW + SECOND_MS)).toMatchObject({ openings: 0, openUntilMs: null });
    const after = nextHealth(open, [answered(503, asked)], NOW + SECOND_MS);
    expect(after).toMatchObject({ openings: 1, openUntilMs: open.openUntilMs });
  });

  it('ignores attempts that began before it opened', () => {
    const open = opened();
    const slow = { durationMs: 15 * SECOND_MS };
    const after = nextHealth(open, [unreached('timeout', slow), outcome(slow)], NOW + 10 * SECOND_MS);
    expect(after).toMatchObject({ openings: 1, openUntilMs: open.openUntilMs });
    const late = nextHealth(
      open,
      [unreached('timeout', { durationMs: 31 * SECOND_MS }), outcome(slow)],
      NOW + 40 * SECOND_MS,
    );
    expect(late).toMatchObject({ openings: 1, openUntilMs: open.openUntilMs });
  });
});

describe('Retry-After', () => {
  it.each([429, 503])('of %d holds the lane, which then goes on at once', (status) => {
    const held = nextHealth(FRESH, [answered(status, { retryAfterMs: 2 * MINUTE_MS })], NOW);
    expect(held).toMatchObject({ openings: 0, openUntilMs: NOW + 2 * MINUTE_MS });
    expect(nextHealth(held, [success], NOW + MINUTE_MS).openUntilMs).toBe(NOW + 2 * MINUTE_MS);
    expect(nextHealth(held, [success], NOW + 3 * MINUTE_MS).openUntilMs).toBeNull();
  });

  it('holds it for 15 minutes at most, and never for less than the breaker does', () => {
    const asked = (retryAfterMs: number) => answered(429, { retryAfterMs });
    expect(nextHealth(FRESH, [asked(24 * HOUR_MS)], NOW).openUntilMs).toBe(NOW + 15 * MINUTE_MS);
    expect(nextHealth(FRESH, times(5, asked(SECOND_MS)), NOW).openUntilMs).toBe(NOW + 30 * SECOND_MS);
    expect(nextHealth(FRESH, times(5, asked(MINUTE_MS)), NOW).openUntilMs).toBe(NOW + MINUTE_MS);
  });

  it.each([400, 500, 502])('of %d holds no other delivery', (status) => {
    expect(nextHealth(FRESH, [answered(status, { retryAfterMs: MINUTE_MS })], NOW).openUntilMs).toBeNull();
  });
});

describe('time', () => {
  it('is never given back: what comes in while the breaker is open ends no pause, and every opening lasts', () => {
    const statuses = fc.constantFrom(200, 400, 429, 500, 503);
    const step = fc.record({
      status: statuses,
      afterMs: fc.integer({ min: 30, max: 10 * MINUTE_MS }),
      hold: fc.nat(HOUR_MS),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let health = FRESH;
        let nowMs = NOW;
        for (const { status, afterMs, hold } of steps) {
          nowMs += afterMs;
          const before = health;
          const next = status === 200 ? success : answered(status, { retryAfterMs: hold });
          health = nextHealth(before, [{ ...next, durationMs: 0 }], nowMs);
          const isOpen = (before.openUntilMs ?? 0) > nowMs;
          if (status !== 200 || isOpen) expect(health.openUntilMs ?? 0).toBeGreaterThanOrEqual(before.openUntilMs ?? 0);
          else
            expect(health).toMatchObject({ openings: 0, openUntilMs: null, failingSinceMs: null, failedAttempts: 0 });
          if (health.openings > before.openings)
            expect(health.openUntilMs! - nowMs).toBeGreaterThanOrEqual(30 * SECOND_MS);
        }
      }),
    );
  });

  it('spent open takes no attempt: a lane that is sent to only when it lets something through opens ever more seldom', () => {
    let health = opened();
    let attempts = 0;
    for (let nowMs = NOW; nowMs < NOW + 2 * HOUR_MS; nowMs += SECOND_MS) {
      if (health.openUntilMs! > nowMs) continue; // as the claim does
      health = nextHealth(health, [unavailable], nowMs + unavailable.durationMs);
      attempts++;
    }
    expect(attempts).toBe(11); // after 30 s, 1, 2, 4, 8 minutes, then every 15 minutes
  });
});

describe('how long an endpoint has been failing', () => {
  it('begins with the first failure of any kind and ends with a success', () => {
    const failing = nextHealth(nextHealth(FRESH, [answered(404)], NOW), times(3, unavailable), NOW + HOUR_MS);
    expect(failing).toMatchObject({ failingSinceMs: NOW, failedAttempts: 4, lastFailureAtMs: NOW + HOUR_MS });
    const after = nextHealth({ ...failing, warnings: 1 }, [success, unavailable], NOW + 2 * HOUR_MS);
    expect(after).toMatchObject({ failingSinceMs: NOW + 2 * HOUR_MS, failedAttempts: 1, warnings: 0 });
    expect(hasRecovered({ ...failing, warnings: 1 }, after)).toBe(true);
    expect(hasRecovered(failing, after)).toBe(false);
    expect(hasRecovered({ ...failing, warnings: NO_MORE_WARNINGS }, after)).toBe(false);
  });

  it.each([
    { hours: 0.99, failed: 50, warnings: 0, step: null },
    { hours: 1, failed: 1, warnings: 0, step: 1 },
    { hours: 23, failed: 50, warnings: 1, step: null },
    { hours: 24, failed: 50, warnings: 1, step: 2 },
    { hours: 30, failed: 50, warnings: 0, step: 2 },
    { hours: 72, failed: 50, warnings: 2, step: 3 },
    { hours: 119.9, failed: 50, warnings: 3, step: null },
    { hours: 120, failed: 9, warnings: 3, step: null },
    { hours: 120, failed: 10, warnings: 3, step: 'disable' },
    { hours: 500, failed: 10, warnings: 0, step: 'disable' },
    { hours: 500, failed: 10, warnings: NO_MORE_WARNINGS, step: null },
  ])('calls after $hours h and $failed failures and $warnings warnings for $step', (given) => {
    const health = { ...FRESH, failingSinceMs: NOW, failedAttempts: given.failed, warnings: given.warnings };
    expect(dueStep(health, NOW + given.hours * HOUR_MS)).toBe(given.step);
  });
});

describe('a slow endpoint', () => {
  const took = (...durations: number[]) => durations.map((durationMs) => outcome({ durationMs }));

  it('is one whose 95th percentile of 20 attempts is above 5 s', () => {
    expect(nextHealth(FRESH, took(6_000), NOW)).toMatchObject({ slow: false, recentMs: [6_000] });
    expect(nextHealth(FRESH, took(6_000, 20, 5_001), NOW).slow).toBe(true);
    expect(nextHealth(FRESH, took(6_000, 5_000), NOW).slow).toBe(false);
    const apart = took(6_000, ...Array<number>(19).fill(20), 6_000);
    expect(nextHealth(FRESH, apart, NOW).slow).toBe(false);
  });

  it('is slow until that is not above 4 s, and forgotten when all 20 are fast', () => {
    const slow = nextHealth(FRESH, took(6_000, 6_000), NOW);
    const between = nextHealth(slow, took(...Array<number>(40).fill(4_500)), NOW);
    expect(between.slow).toBe(true);
    const fast = nextHealth(between, took(...Array<number>(19).fill(4_000)), NOW);
    expect(fast.slow).toBe(false);
    expect(isTroubled(fast)).toBe(false);
    expect(nextHealth(fast, took(4_500, 4_500), NOW)).toMatchObject({ slow: false, recentMs: [] });
  });

  it('may be one that fails', () => {
    expect(nextHealth(FRESH, times(2, unreached('timeout', { durationMs: 15_000 })), NOW).slow).toBe(true);
  });
});

test('an endpoint that does well is left as it is', () => {
  expect(isBad(success)).toBe(false);
  expect(isBad(outcome({ durationMs: 5_000 }))).toBe(true);
  expect(isBad(answered(404))).toBe(true);
  expect(isTroubled(FRESH)).toBe(false);
});

describe('the view of the health', () => {
  it.each([
    { health: FRESH, status: 'healthy', breaker: { state: 'closed', openUntil: null } },
    {
      health: nextHealth(FRESH, [answered(404)], NOW),
      status: 'failing',
      breaker: { state: 'closed', openUntil: null },
    },
    { health: opened(), status: 'open', breaker: { state: 'open', openUntil: '2026-11-21T09:15:32.114Z' } },
    { health: { ...FRESH, slow: true }, status: 'slow', breaker: { state: 'closed', openUntil: null } },
  ])('tells that it is $status', ({ health, ...expected }) => {
    expect(healthView(health, true, NOW)).toMatchObject(expected);
  });

  it('tells when the endpoint would be disabled, as soon as it fails', () => {
    const view = healthView(opened(), true, NOW + 30 * SECOND_MS);
    expect(view).toEqual({
      status: 'failing',
      failingSince: '2026-11-21T09:15:02.114Z',
      failedAttempts: 5,
      willDisableAt: '2026-11-26T09:15:02.114Z',
      breaker: { state: 'half_open', openUntil: null },
      slow: false,
      lastSuccessAt: null,
      lastFailureAt: '2026-11-21T09:15:02.114Z',
    });
    expect(healthView(opened(), false, NOW).willDisableAt).toBeNull();
    expect(healthView(FRESH, true, NOW).willDisableAt).toBeNull();
  });
});
