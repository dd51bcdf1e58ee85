import { addDays, civilDateAt, startOfDayMs, WEEKDAYS } from '#libs/kernel/civil-time.js';
import type { SettingsValues } from '#libs/settings/settings.model.js';

export const PERIODS = ['week', 'month', 'quarter'] as const;
export type Period = (typeof PERIODS)[number];

export const GRAINS = ['day', ...PERIODS] as const;
export type Grain = (typeof GRAINS)[number];

export const COMPARISONS = ['previous', 'year'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Periods in a series, including the current one. */
const SERIES = 6;
const MONTHS = { month: 1, quarter: 3 } as const;
const WEEKS_OF_YEAR = 52;

/** A calendar period in the tenant's time zone. */
export interface Window {
  /** First day. */
  first: string;
  /** Last day. */
  last: string;
  starts: string;
  /** Start of the next period. */
  ends: string;
  /** First day of the twelve months that end with the period. */
  yearAgo: string;
}

/** The periods of a scorecard. */
export interface Windows {
  /** The current day. */
  today: string;
  current: Window;
  /** The period to compare with. */
  compared: Window;
  /** Oldest first; ends with the current one. */
  series: readonly Window[];
}

/** The current period, the one to compare with, and those of the series. */
export function windowsAt(
  now: Date,
  period: Period,
  comparison: Comparison,
  { timezone, weekStart }: Pick<SettingsValues['general'], 'timezone' | 'weekStart'>,
): Windows {
  const today = civilDateAt(now.getTime(), timezone);
  const begin = beginOf(today, period, weekStart);
  const at = (offset: number): Window => {
    const first = shifted(begin, period, offset);
    return windowOf(first, addDays(shifted(begin, period, offset + 1), -1), timezone);
  };
  return {
    today,
    current: at(0),
    compared: at(comparison === 'year' ? -yearOf(period) : -1),
    series: Array.from({ length: SERIES }, (_, index) => at(index + 1 - SERIES)),
  };
}

/** The periods from the one with a day to the one with another, and those to compare each with. At most `most`. */
export function periodsBetween(
  from: string,
  to: string,
  grain: Grain,
  { timezone, weekStart }: Pick<SettingsValues['general'], 'timezone' | 'weekStart'>,
  most: number,
): ({ window: Window } & Record<Comparison, Window>)[] {
  const begin = beginOf(from, grain, weekStart);
  const at = (offset: number) => {
    const next = shifted(begin, grain, offset + 1);
    return windowOf(shifted(begin, grain, offset), addDays(next, -1), timezone);
  };
  const periods = [];
  for (let i = 0; i < most && shifted(begin, grain, i) <= to; i++)
    periods.push({ window: at(i), previous: at(i - 1), year: at(i - yearOf(grain)) });
  return periods;
}

/** The time from one day to another, both included. */
export function windowOf(first: string, last: string, timezone: string): Window {
  const next = addDays(last, 1);
  const instant = (day: string) => new Date(startOfDayMs(day, timezone)).toISOString();
  return { first, last, starts: instant(first), ends: instant(next), yearAgo: addMonths(next, -12) };
}

/** Number of periods after which the same one of the next year follows. */
function yearOf(grain: Grain): number {
  if (grain === 'day') return WEEKS_OF_YEAR * 7;
  return grain === 'week' ? WEEKS_OF_YEAR : 12 / MONTHS[grain];
}

/** First day of the period that a day is in. */
export function beginOf(day: string, period: Grain, weekStart: SettingsValues['general']['weekStart']): string {
  if (period === 'day') return day;
  if (period !== 'week') {
    const [year, month] = day.split('-').map(Number) as [number, number];
    return dayOf(year, Math.floor((month - 1) / MONTHS[period]) * MONTHS[period]);
  }
  const since = new Date(`${day}T00:00:00Z`).getUTCDay() - WEEKDAYS.findIndex((each) => weekStart.startsWith(each));
  return addDays(day, -((since + 7) % 7));
}

function shifted(begin: string, period: Grain, offset: number): string {
  if (period === 'day') return addDays(begin, offset);
  return period === 'week' ? addDays(begin, 7 * offset) : addMonths(begin, MONTHS[period] * offset);
}

/** The same day in another month; the first of the month after it if there is no such day. */
function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return dayOf(year, month - 1 + months, date);
}

function dayOf(year: number, month: number, date = 1): string {
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10);
}
