import { DAY_MS } from '#libs/kernel/durations.js';
import { Problem } from '#libs/kernel/problem.js';
/** The last date that can be stored and shown. Input has narrower bounds, to leave room for calculations. */
const LAST_DAY_MS = Date.parse('9999-12-31T00:00:00Z');
const formats = new Map<string, Intl.DateTimeFormat>();

/** Days of the week, numbered as in JavaScript. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The calendar date, `YYYY-MM-DD`, of an instant in an IANA time zone. */
export function civilDateAt(ms: number, timeZone: string): string {
  return new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(0, 10);
}

/** The first instant of a calendar date in an IANA time zone; not always midnight. */
export function startOfDayMs(date: string, timeZone: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Offsets change at most once around a midnight: either one of the two candidates is right, or the clock skips both.
  const candidates = [midnight - DAY_MS, midnight + DAY_MS].map((ms) => midnight - offsetMs(ms, timeZone));
  const [early, late] = [Math.min(...candidates), Math.max(...candidates)];
  return civilDateAt(early, timeZone) === date ? early : civilDateAt(late, timeZone) === date ? late : early;
}

/**
 * The instant at which the clocks of an IANA time zone show a date and time, `HH:MM`. If they show it twice, the first
 * one; if they skip it, the instant as long after the skip as the time is after its beginning.
 */
export function instantAtMs(date: string, time: string, timeZone: string): number {
  const local = Date.parse(`${date}T${time}:00Z`);
  const candidates = [local - DAY_MS, local + DAY_MS].map((ms) => local - offsetMs(ms, timeZone));
  const [early, late] = [Math.min(...candidates), Math.max(...candidates)];
  return early + offsetMs(early, timeZone) === local ? early : late;
}

/** The date a number of days after another one, limited to the last possible date. */
export function addDays(date: string, days: number): string {
  const ms = Date.parse(`${date}T00:00:00Z`) + days * DAY_MS;
  return new Date(Math.min(ms, LAST_DAY_MS)).toISOString().slice(0, 10);
}

/**
 * A date that was calculated from others and will be stored: in the same bounds as input.
 * @param pointer member of the body that it follows from
 * @throws Problem 400 `out_of_range`.
 */
export function derivedDate(date: string, pointer: string): string {
  if (/^(19|[2-8][0-9])[0-9]{2}-/.test(date)) return date;
  const detail = `A date that follows from it, ${date}, is outside the years 1900 to 8999.`;
  throw Problem.validation([{ pointer, code: 'out_of_range', detail }]);
}

/** The UTC offset of a time zone at an instant. */
function offsetMs(ms: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}
