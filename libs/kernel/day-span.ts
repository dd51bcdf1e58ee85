import { DAY_MS } from '#libs/kernel/durations.js';
import { longest, rangeFault } from './time-range.js';

const DEFAULT_DAYS = 30;

/** Calendar days (UTC) from one to another, both included. */
export interface DaySpan {
  from: string;
  to: string;
}

/** The day (UTC) that an instant belongs to. */
export function dayOf(instant: Date | number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/**
 * The span of a query; by default the last 30 days including today.
 * @throws Problem 400 `out_of_range` if the days are in the wrong order or the span is longer than `most`.
 */
export function daySpan(query: Partial<DaySpan>, now: Date, most: number): DaySpan {
  const to = query.to ?? dayOf(now);
  const from = query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw rangeFault('out_of_range', 'The range must not begin after its last day.');
  if (days > most) throw rangeFault('out_of_range', longest(most));
  return { from, to };
}

/** The span of `count` days that ends with the day of an instant. */
export function lastDays(count: number, instant: string): DaySpan {
  return { from: dayOf(Date.parse(instant) - (count - 1) * DAY_MS), to: dayOf(Date.parse(instant)) };
}

/** Every day of a span, in order. */
export function daysOf({ from, to }: DaySpan): string[] {
  const days = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS) days.push(dayOf(ms));
  return days;
}
