import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/kernel/durations.js';

/** Number of consecutive failures that opens the breaker. */
const MAX_FAILURES = 5;
/**
 * The breaker also opens if at least half of the attempts in the window have failed, and there are at least this many.
 */
const WINDOW_ATTEMPTS = 20;
const WINDOW_MS = MINUTE_MS;
/** How long the breaker is open the first time; doubles with each reopening. */
const OPEN_MS = 30 * SECOND_MS;
const MAX_OPEN_MS = 15 * MINUTE_MS;

/** Number of stored durations. The 95th percentile of 20 is the second longest. */
const RECENT = 20;
/**
 * An endpoint becomes slow when that percentile exceeds the first bound, and fast again when it no longer exceeds the
 * second. The difference prevents flapping.
 */
export const SLOW_MS = 5 * SECOND_MS;
const FAST_AGAIN_MS = 4 * SECOND_MS;

/** How long an endpoint fails before its tenant is warned, and before it is disabled. */
export const WARNINGS_MS: readonly number[] = [1 * HOUR_MS, 24 * HOUR_MS, 72 * HOUR_MS];
export const DISABLE_MS = 120 * HOUR_MS;
/** An endpoint with fewer failed attempts is not disabled, however long it has been failing. */
export const DISABLE_ATTEMPTS = 10;
/** Replaces the number of warnings: no more warnings until the endpoint is enabled or succeeds. */
export const NO_MORE_WARNINGS = WARNINGS_MS.length + 1;

/** Recent health of an endpoint, as stored in `data.webhook_lanes`. Instants in ms since the Unix epoch. */
export interface LaneHealth {
  /** Nothing is sent before this time; null after a success. */
  openUntilMs: number | null;
  /**
   * How often the breaker has opened since the last success; 0 with `openUntilMs` if the receiver requested the pause.
   */
  openings: number;
  /** Failures that count towards the breaker, since the last success. */
  consecutiveFailures: number;
  /** Starts with a failure; null if there was none. */
  windowStartedAtMs: number | null;
  windowAttempts: number;
  windowFailures: number;
  /** The first failure of any kind since the last success; null if there is none. */
  failingSinceMs: number | null;
  /** Since `failingSinceMs`. */
  failedAttempts: number;
  /** Warnings since then, or {@link NO_MORE_WARNINGS}. */
  warnings: number;
  lastSuccessAtMs: number | null;
  lastFailureAtMs: number | null;
  /** Durations of the last attempts, ms, the newest last; empty while none of them is slow. */
  recentMs: readonly number[];
  slow: boolean;
}

/** Outcome of an attempt. */
export interface Outcome {
  endpointId: string;
  /** As returned by `attemptError`; null if the endpoint accepted the delivery. */
  error: string | null;
  httpStatus: number | null;
  durationMs: number;
  /** The requested delay, as returned by `readRetryAfter`. */
  retryAfterMs: number | null;
  /** Whether the lane was troubled when the delivery was leased. */
  troubled: boolean;
  /** Whether a user requested the attempt; it may have started while the breaker was open. */
  manual: boolean;
}

/** The health of an endpoint without recent failures. */
export const FRESH: LaneHealth = {
  openUntilMs: null,
  openings: 0,
  consecutiveFailures: 0,
  windowStartedAtMs: null,
  windowAttempts: 0,
  windowFailures: 0,
  failingSinceMs: null,
  failedAttempts: 0,
  warnings: 0,
  lastSuccessAtMs: null,
  lastFailureAtMs: null,
  recentMs: [],
  slow: false,
};

/** Whether even good outcomes change the health and must be written. */
export function isTroubled(health: LaneHealth): boolean {
  const { openUntilMs, windowStartedAtMs, failingSinceMs, recentMs } = health;
  return openUntilMs !== null || windowStartedAtMs !== null || failingSinceMs !== null || recentMs.length > 0;
}

/** Whether an outcome changes the health of a lane that was not troubled. */
export function isBad({ error, durationMs }: Outcome): boolean {
  return error !== null || durationMs >= SLOW_MS;
}

/**
 * The health after these outcomes of the endpoint, in order.
 *
 * The breaker protects endpoints that temporarily cannot accept deliveries, and saves futile attempts. 429, 502, 503,
 * 504, timeouts and network errors count towards it. A response that rejects a delivery (any other 4xx, 500, a
 * redirect) may concern that delivery only: it neither opens nor closes the breaker, and counts in the window as an
 * attempt that did not fail. Only a success closes the breaker.
 *
 * `Retry-After` on 429 and 503 pauses the whole lane, but no longer than the breaker would, because one header must not
 * stop an endpoint for a day. The delivery that received it waits for the full time. `Source:` RFC 9110 section 10.2.3.
 */
export function nextHealth(health: LaneHealth, outcomes: readonly Outcome[], nowMs: number): LaneHealth {
  return outcomes.reduce(
    (state, outcome) => ({
      ...state,
      ...breakerAfter(state, outcome, nowMs),
      ...failingAfter(state, outcome, nowMs),
      ...durationsAfter(state, outcome.durationMs),
    }),
    health,
  );
}

/**
 * The next step for a failing endpoint: disabling, or a warning (the new number of warnings); null if nothing is due.
 * If several warnings were missed, only the last one is sent.
 */
export function dueStep(health: LaneHealth, nowMs: number): 'disable' | number | null {
  const { failingSinceMs, failedAttempts, warnings } = health;
  if (failingSinceMs === null || warnings === NO_MORE_WARNINGS) return null;
  const failingMs = nowMs - failingSinceMs;
  if (failingMs >= DISABLE_MS && failedAttempts >= DISABLE_ATTEMPTS) return 'disable';
  const level = WARNINGS_MS.filter((afterMs) => failingMs >= afterMs).length;
  return level > warnings ? level : null;
}

/** Whether an endpoint has succeeded after a warning. */
export function hasRecovered(before: LaneHealth, after: LaneHealth): boolean {
  return before.warnings > 0 && before.warnings < NO_MORE_WARNINGS && after.warnings === 0;
}

type Breaker = Pick<
  LaneHealth,
  'openUntilMs' | 'openings' | 'consecutiveFailures' | 'windowStartedAtMs' | 'windowAttempts' | 'windowFailures'
>;
type Window = Pick<Breaker, 'windowStartedAtMs' | 'windowAttempts' | 'windowFailures'>;

const NO_WINDOW: Window = { windowStartedAtMs: null, windowAttempts: 0, windowFailures: 0 };

function breakerAfter(state: LaneHealth, outcome: Outcome, nowMs: number): Partial<Breaker> {
  const { openUntilMs, openings } = state;
  const { error, manual, durationMs } = outcome;
  // An attempt that started before the breaker opened says nothing about the endpoint afterwards. While it is open,
  // only manual attempts start: a successful one closes the breaker.
  const beganBefore = openings > 0 && nowMs - durationMs < openUntilMs!;
  if (beganBefore && !(manual && error === null)) return {};
  if (error === null) return breakerAfterSuccess(state, nowMs);
  const failed = feedsBreaker(outcome);
  const window = windowAfter(state, failed, nowMs);
  if (!failed) return window;
  const consecutiveFailures = state.consecutiveFailures + 1;
  const pausedMs = later(openUntilMs, pausedUntil(outcome, nowMs));
  const opens = openings > 0 || consecutiveFailures >= MAX_FAILURES || isMostlyFailing(window);
  if (!opens) return { ...window, consecutiveFailures, openUntilMs: pausedMs };
  const openedMs = later(pausedMs, nowMs + openMs(openings + 1));
  return { ...window, consecutiveFailures, openings: openings + 1, openUntilMs: openedMs };
}

function breakerAfterSuccess(state: LaneHealth, nowMs: number): Partial<Breaker> {
  const { openUntilMs, openings } = state;
  if (openings > 0) return { ...NO_WINDOW, openUntilMs: null, openings: 0, consecutiveFailures: 0 };
  // A pause that the receiver requested continues, because other responses may still be in transit.
  const paused = openUntilMs !== null && openUntilMs > nowMs ? openUntilMs : null;
  return { ...windowAfter(state, false, nowMs), openUntilMs: paused, consecutiveFailures: 0 };
}

const BREAKING_STATUSES = new Set([429, 502, 503, 504]);
/** Errors that do not show whether the endpoint could accept another delivery now. */
const ANSWERED = new Set(['http_status', 'redirect', 'endpoint_gone', 'blocked_url', 'invalid_request']);

function feedsBreaker({ error, httpStatus }: Outcome): boolean {
  return httpStatus !== null && BREAKING_STATUSES.has(httpStatus) ? true : !ANSWERED.has(error!);
}

function windowAfter(state: LaneHealth, failed: boolean, nowMs: number): Window {
  const { windowStartedAtMs, windowAttempts, windowFailures } = state;
  if (windowStartedAtMs === null || nowMs - windowStartedAtMs >= WINDOW_MS)
    return failed ? { windowStartedAtMs: nowMs, windowAttempts: 1, windowFailures: 1 } : NO_WINDOW;
  return { windowStartedAtMs, windowAttempts: windowAttempts + 1, windowFailures: windowFailures + (failed ? 1 : 0) };
}

function isMostlyFailing({ windowAttempts, windowFailures }: Window): boolean {
  return windowAttempts >= WINDOW_ATTEMPTS && windowFailures * 2 >= windowAttempts;
}

/** How long the breaker stays open the nth time. */
function openMs(openings: number): number {
  return Math.min(OPEN_MS * 2 ** (openings - 1), MAX_OPEN_MS);
}

function pausedUntil({ httpStatus, retryAfterMs }: Outcome, nowMs: number): number | null {
  if (!retryAfterMs || (httpStatus !== 429 && httpStatus !== 503)) return null;
  return nowMs + Math.min(retryAfterMs, MAX_OPEN_MS);
}

function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function failingAfter(state: LaneHealth, { error }: Outcome, nowMs: number): Partial<LaneHealth> {
  if (error === null) return { failingSinceMs: null, failedAttempts: 0, warnings: 0, lastSuccessAtMs: nowMs };
  const failingSinceMs = state.failingSinceMs ?? nowMs;
  return { failingSinceMs, failedAttempts: state.failedAttempts + 1, lastFailureAtMs: nowMs };
}

/** Unrecorded attempts count as fast, because a lane without slow attempts is not written. */
function durationsAfter({ recentMs, slow }: LaneHealth, durationMs: number): Partial<LaneHealth> {
  if (recentMs.length === 0 && durationMs < SLOW_MS) return {};
  const newest = [...recentMs, durationMs].slice(-RECENT);
  const percentileMs = newest.toSorted((a, b) => b - a)[1] ?? 0;
  const isSlow = percentileMs > (slow ? FAST_AGAIN_MS : SLOW_MS);
  const isForgotten = !isSlow && newest.length === RECENT && newest.every((each) => each < SLOW_MS);
  return { recentMs: isForgotten ? [] : newest, slow: isSlow };
}
