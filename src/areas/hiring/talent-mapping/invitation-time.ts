import { addDays, civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';

/** Earliest sending of an invitation, in days before the start date. */
const EARLIEST_DAYS = 16;
/** An invitation is valid until this number of days after the start date. */
const DAYS_AFTER_START = 14;
const MIN_DAYS = 7;
const MAX_DAYS = 30;

/** The time from which the invitation for a start date can be sent (RFC 3339). */
export function sendingTime(startDate: string, daysBefore: number | null, timeZone: string): string {
  const days = Math.min(daysBefore ?? EARLIEST_DAYS, EARLIEST_DAYS);
  return new Date(startOfDayMs(addDays(startDate, -days), timeZone)).toISOString();
}

/** Days for which an invitation that is sent now is valid: until 14 days after the start date, from 7 to 30 days. */
export function validDays(startDate: string, now: string, timeZone: string): number {
  const today = civilDateAt(Date.parse(now), timeZone);
  const days = (Date.parse(startDate) - Date.parse(today)) / DAY_MS + DAYS_AFTER_START;
  return Math.max(MIN_DAYS, Math.min(MAX_DAYS, days));
}
