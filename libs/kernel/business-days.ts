import { derivedDate } from '#libs/kernel/civil-time.js';
import { DAY_MS } from '#libs/kernel/durations.js';
const MONDAY_TO_FRIDAY: ReadonlySet<number> = new Set([1, 2, 3, 4, 5]);

/** Business days: weekdays with working hours that are not holidays. Dates are `YYYY-MM-DD`. */
export class BusinessDays {
  private readonly weekdays: ReadonlySet<number>;
  private readonly holidays: ReadonlySet<string>;

  /** @param weekdays from 1 (Monday) to 7 (Sunday); Monday to Friday if there are none */
  constructor(weekdays: Iterable<number> = [], holidays: Iterable<string> = []) {
    const given = new Set(weekdays);
    this.weekdays = given.size > 0 ? given : MONDAY_TO_FRIDAY;
    this.holidays = new Set(holidays);
  }

  isBusinessDay(date: string): boolean {
    return this.weekdays.has(weekdayOf(date)) && !this.holidays.has(date);
  }

  /**
   * The date that is a number of business days after a date, or before it if the number is negative. Zero gives the date
   * itself or the next business day.
   * @param pointer member of the body that the date follows from
   * @throws Problem as {@link derivedDate}.
   */
  add(date: string, days: number, pointer = ''): string {
    const step = days < 0 ? -1 : 1;
    let left = Math.abs(days);
    let at = date;
    while (left > 0) {
      at = shift(at, step);
      if (this.isBusinessDay(at)) left -= 1;
    }
    while (!this.isBusinessDay(at)) at = shift(at, step);
    return derivedDate(at, pointer);
  }

  /** Business days after `from` up to and including `to`; negative if `to` is earlier. */
  between(from: string, to: string): number {
    if (to < from) return -this.between(to, from);
    let count = 0;
    for (let at = from; at < to;) {
      at = shift(at, 1);
      if (this.isBusinessDay(at)) count += 1;
    }
    return count;
  }
}

function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}

function shift(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
