import { Field, id, integer, type Kind, listOf, oneOf, text } from '#libs/http/field.js';
import { addDays, civilDateAt, instantAtMs, type Weekday, WEEKDAYS } from '#libs/kernel/civil-time.js';
import type { Violation } from '#libs/kernel/problem.js';
import { timeZone } from '#libs/settings/locale-fields.js';
import { FORMATS, type ReportFormat } from '../query/report.dto.js';

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
/** Maximum number of members who get a mail. */
export const MAX_RECIPIENTS = 50;
/** Days in which every schedule has a run. */
const HORIZON_DAYS = 63;

const clockTime = (): Kind =>
  text({ min: 5, max: 5, pattern: /^([01]\d|2[0-3]):[0-5]\d$/, form: 'a time of day such as 07:30' });

/** When a report runs, and who gets a mail. */
export class ReportSchedule {
  @Field(oneOf(FREQUENCIES), { description: 'How often it runs.', example: 'weekly' })
  frequency!: (typeof FREQUENCIES)[number];

  @Field(clockTime(), {
    description: 'Local time. If the clocks skip it, the run is as much later; if they show it twice, it is the first.',
    example: '07:30',
  })
  time!: string;

  @Field(oneOf(WEEKDAYS), {
    description: 'Day of the week; required for `weekly`, and only then.',
    example: 'mon',
    optional: true,
    nullable: true,
  })
  weekday?: Weekday | null;

  @Field(integer({ min: 1, max: 31 }), {
    description: 'Day of the month; required for `monthly`, and only then. In shorter months it is the last day.',
    optional: true,
    nullable: true,
  })
  dayOfMonth?: number | null;

  @Field(timeZone(), {
    description: 'IANA time zone; the tenant’s by default.',
    example: 'Europe/Berlin',
    optional: true,
  })
  timeZone?: string;

  @Field(listOf(id(), { max: MAX_RECIPIENTS, unique: true }), {
    description:
      'Members who get a mail with a link to each run, and can read it: active ones who may see all of its fields.',
    example: [],
    optional: true,
  })
  recipientIds?: string[];

  @Field(oneOf(FORMATS), { description: 'Format behind the link; `csv` by default.', example: 'csv', optional: true })
  format?: ReportFormat;
}

/** A schedule without gaps. */
export type StoredSchedule = Required<ReportSchedule>;

/** What is wrong with the days of a schedule. */
export function scheduleFaults({ frequency, weekday = null, dayOfMonth = null }: ReportSchedule): Violation[] {
  const rule = (pointer: string, value: unknown, isNeeded: boolean): Violation[] => {
    if ((value !== null) === isNeeded) return [];
    const detail = isNeeded ? `A ${frequency} schedule requires it.` : `A ${frequency} schedule does not use it.`;
    return [{ pointer, code: isNeeded ? 'required' : 'not_applicable', detail }];
  };
  return [
    ...rule('/weekday', weekday, frequency === 'weekly'),
    ...rule('/dayOfMonth', dayOfMonth, frequency === 'monthly'),
  ];
}

/** The first run after an instant, in milliseconds since 1970. */
export function nextRunMs(schedule: StoredSchedule, afterMs: number): number {
  const { time, timeZone: zone } = schedule;
  // The clocks may have shown the time of the first day already, and changes of time zones can skip a whole day.
  let day = addDays(civilDateAt(afterMs, zone), -1);
  for (let i = 0; i < HORIZON_DAYS; i++, day = addDays(day, 1)) {
    if (!isRunDay(schedule, day)) continue;
    const at = instantAtMs(day, time, zone);
    if (at > afterMs) return at;
  }
  throw new Error('A schedule has a run in every two months.');
}

function isRunDay({ frequency, weekday, dayOfMonth }: StoredSchedule, day: string): boolean {
  if (frequency === 'daily') return true;
  if (frequency === 'weekly') return WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] === weekday;
  const date = Number(day.slice(8));
  const isLast = addDays(day, 1).endsWith('-01');
  return date === dayOfMonth || (isLast && date < dayOfMonth!);
}
