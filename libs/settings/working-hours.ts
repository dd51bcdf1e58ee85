import { Field, integer, text } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';

/** Maximum number of intervals: three per day. */
export const MAX_SPANS = 21;

const timeOfDay = () =>
  text({ min: 5, max: 5, pattern: /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, form: 'a time of day such as 09:00' });

/** An interval of working time in the week. */
export class WorkingHours {
  @Field(integer({ min: 1, max: 7 }), { description: 'Day of the week, from 1 (Monday) to 7 (Sunday).', example: 1 })
  weekday!: number;

  @Field(timeOfDay(), { description: 'Start time.', example: '09:00' })
  from!: string;

  @Field(timeOfDay(), { description: 'End time; `24:00` for the end of the day.', example: '17:00' })
  to!: string;
}

/** What is wrong with the intervals in the member `workingHours` of a body: they end before they begin, or overlap. */
export function hourViolations(hours: readonly WorkingHours[]): Violation[] {
  return hours.flatMap(({ weekday, from, to }, index): Violation[] => {
    const pointer = `/workingHours/${index}`;
    if (from >= to) return [{ pointer: `${pointer}/to`, code: 'out_of_range', detail: 'They end before they begin.' }];
    const overlaps = hours
      .slice(0, index)
      .some((other) => other.weekday === weekday && other.from < to && from < other.to);
    const detail = 'The interval overlaps another one on the same day.';
    return overlaps ? [{ pointer, code: 'not_unique', detail }] : [];
  });
}

/** The intervals by their time in the week. */
export function inOrder<H extends WorkingHours>(hours: readonly H[]): H[] {
  const place = ({ weekday, from }: H) => `${weekday} ${from}`;
  return hours.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}
