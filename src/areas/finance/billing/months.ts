import { addDays } from '#libs/kernel/civil-time.js';

/** A calendar month, `YYYY-MM`. */
export type Month = string;

/** The month of a date, `YYYY-MM-DD`. */
export function monthOf(date: string): Month {
  return date.slice(0, 7);
}

export function firstDayOf(month: Month): string {
  return `${month}-01`;
}

export function lastDayOf(month: Month): string {
  return addDays(firstDayOf(nextMonth(month)), -1);
}

export function nextMonth(month: Month): Month {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}
