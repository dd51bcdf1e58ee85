import { addDays } from '#libs/kernel/civil-time.js';
import { daysBetween, weekdayOf } from '../calendar.js';
import type { WorkSchedule } from '../employees/employee.parts.js';

/** When somebody is away. */
export interface Absence {
  startDate: string;
  endDate: string;
  /** It begins at noon. */
  startHalf: boolean;
  /** It ends at noon. */
  endHalf: boolean;
}

/** Most days from the first to the last. */
export const MAX_ABSENCE_DAYS = 731;

/** The half days of work that an absence takes, by year; without those that nobody would have worked. */
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

/** The sum over the years. */
export function totalOf(byYear: ReadonlyMap<number, number>): number {
  return [...byYear.values()].reduce((sum, each) => sum + each, 0);
}
