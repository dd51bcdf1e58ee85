import { type Weekday, WEEKDAYS } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';

/** Days in a date range, including both ends. */
export function daysBetween(startDate: string, endDate: string): number {
  return (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1;
}

/** The day of the week of a date. */
export function weekdayOf(date: string): Weekday {
  return WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()]!;
}

/** The weekday for a number from 1, Monday, to 7, Sunday. */
export function fromMonday(number: number): Weekday {
  return WEEKDAYS[number % 7]!;
}
