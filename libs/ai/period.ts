import { addDays, startOfDayMs } from '#libs/kernel/civil-time.js';

/** Calendar periods of budgets. Weeks begin on Monday. */
export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** First day of the period that contains a day (`YYYY-MM-DD`). */
export function periodStart(period: Period, day: string): string {
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  if (period === 'day') return day;
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(day, -sinceMonday);
}

/** End of the period that contains a day: the first instant of the next one in an IANA time zone, RFC 3339. */
export function periodEnd(period: Period, day: string, timeZone: string): string {
  const start = periodStart(period, day);
  const next =
    period === 'month' ? periodStart('month', addDays(start, 31)) : addDays(start, period === 'week' ? 7 : 1);
  return new Date(startOfDayMs(next, timeZone)).toISOString();
}
