import { CronExpressionParser } from 'cron-parser';
import { type Kind, text } from '#libs/http/field.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import type { Violation } from '#libs/kernel/problem.js';

const FIELD = String.raw`[\d*,/\-A-Za-z]+`;
/** Without `H`, which means a random time. */
const FIVE_FIELDS = new RegExp(`^(?!.*(?:^|[ ,/-])[hH])${FIELD}(?: ${FIELD}){4}$`);
/** Runs whose distances are checked. */
const LOOKED_AT = 60;

/** Five fields of cron: minute, hour, day of the month, month, day of the week. */
export const cron = (): Kind => {
  const kind = text({ min: 9, max: 100, pattern: FIVE_FIELDS, form: 'five fields of cron such as `30 7 * * mon`' });
  return {
    ...kind,
    check: (value) => {
      const faults = kind.check(value);
      if (faults.length > 0) return faults;
      try {
        CronExpressionParser.parse(String(value));
        return [];
      } catch {
        return [{ code: 'invalid_cron', detail: 'The value must be five fields of cron such as `30 7 * * mon`.' }];
      }
    },
  };
};

/** The first run after an instant, in milliseconds since 1970; null if there is none. */
export function nextRunMs(
  { cron: text, timeZone }: { cron: string; timeZone: string },
  afterMs: number,
): number | null {
  try {
    return CronExpressionParser.parse(text, { currentDate: new Date(afterMs), tz: timeZone })
      .next()
      .getTime();
  } catch {
    return null; // such as 30 February
  }
}

/** What is wrong with the times of a schedule. */
export function cronFaults(schedule: { cron: string; timeZone: string }, nowMs: number): Violation[] {
  const fault = (code: string, detail: string): Violation[] => [{ pointer: '/cron', code, detail }];
  let before = nextRunMs(schedule, nowMs);
  if (before === null) return fault('never_due', 'No day has such a time.');
  for (let i = 0; i < LOOKED_AT; i++) {
    const next = nextRunMs(schedule, before);
    if (next === null) break;
    if (next - before < HOUR_MS) return fault('too_often', 'Runs must be at least an hour apart.');
    before = next;
  }
  return [];
}
