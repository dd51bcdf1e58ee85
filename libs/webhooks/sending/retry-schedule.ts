import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#libs/kernel/durations.js';

/** Delay after the 1st, 2nd, ... failed attempt, ms. */
const PAUSES_MS = [
  5 * SECOND_MS,
  1 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  1 * HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  12 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
] as const;

const MAX_JITTER_SHARE = 0.2;
const MAX_JITTER_MS = 15 * MINUTE_MS;
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Attempts per delivery: 15, over about five days. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/**
 * Delay before the next attempt, whole ms; null if none is left.
 *
 * Jitter is only added, at most a fifth of the delay and at most 15 minutes; `Retry-After` is a lower bound.
 * @param attempts number of failed attempts, from 1
 * @param retryAfterMs delay that the receiver requested, see {@link readRetryAfter}
 * @param random from 0 to below 1
 */
export function pauseAfter(attempts: number, retryAfterMs: number | null, random: number): number | null {
  const pauseMs = PAUSES_MS[attempts - 1];
  if (pauseMs === undefined) return null;
  const jitterMs = random * Math.min(pauseMs * MAX_JITTER_SHARE, MAX_JITTER_MS);
  return Math.round(Math.max(pauseMs + jitterMs, retryAfterMs ?? 0));
}

/**
 * The delay of a `Retry-After` header in milliseconds, 0 to 24 hours; null if it is absent or invalid. `Source:` RFC
 * 9110 section 10.2.3.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const waitMs = /^\d{1,10}$/.test(text) ? Number(text) * SECOND_MS : httpDate(text, nowMs) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), MAX_RETRY_AFTER_MS);
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2,5}day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];
/** A two-digit year is at most this far in the future. */
const MAX_YEARS_AHEAD = 50;

/**
 * `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994` as ms since the epoch; NaN
 * for anything else. `Source:` RFC 9110 section 5.6.7.
 */
function httpDate(text: string, nowMs: number): number {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  const { day, month = '', year = '', time = '' } = parts ?? {};
  const index = MONTHS.indexOf(month);
  if (index < 0) return NaN;
  const [hours, minutes, seconds] = time.split(':').map(Number);
  const inYear = (number: number): number => Date.UTC(number, index, Number(day), hours, minutes, seconds);
  if (year.length === 4) return inYear(Number(year));
  const latest = new Date(nowMs);
  latest.setUTCFullYear(latest.getUTCFullYear() + MAX_YEARS_AHEAD);
  const inCentury = latest.getUTCFullYear() - (latest.getUTCFullYear() % 100) + Number(year);
  return inYear(inCentury) <= latest.getTime() ? inYear(inCentury) : inYear(inCentury - 100);
}
