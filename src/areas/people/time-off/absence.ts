import { addDays } from '#libs/kernel/civil-time.js';
import { daysBetween, weekdayOf } from '../calendar.js';
import type { WorkSchedule } from '../employees/employee.parts.js';

/** Period of an absence. */
export interface Absence {
  startDate: string;
  endDate: string;
  /** Starts at noon. */
  startHalf: boolean;
  /** Ends at noon. */
  endHalf: boolean;
}

/** Maximum length in days, including the first and last. */
export const MAX_ABSENCE_DAYS = 731;

/** Half days of work covered by an absence, by year; days without scheduled work are excluded. */
export function halfDaysByYear(
  absence: Absence,
  schedule: WorkSchedule,
  holidays: ReadonlySet<string>,
): Map<number, number> {
  const { startDate, endDate, startHalf, endHalf } = absence;
  const byYear = new Map<number, number>();
  const length = daysBetween(startDate, endDate);
  for (let i = 0; i < length; i++) {
    const date = addDays(startDate, i);
    if (!schedule.days.includes(weekdayOf(date)) || holidays.has(date)) continue;
    const halves = 2 - Number(startHalf && date === startDate) - Number(endHalf && date === endDate);
    const year = Number(date.slice(0, 4));
    if (halves > 0) byYear.set(year, (byYear.get(year) ?? 0) + halves);
  }
  return byYear;
}

/** The total over all years. */
export function totalOf(byYear: ReadonlyMap<number, number>): number {
  return [...byYear.values()].reduce((sum, each) => sum + each, 0);
}
