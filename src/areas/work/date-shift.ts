import type { BusinessDays } from '#libs/kernel/business-days.js';
import { Problem } from '#libs/kernel/problem.js';

/** Moves dates by business days, to later days or, with a negative number, to earlier ones. */
export class DateShift {
  constructor(
    private readonly calendar: BusinessDays,
    private readonly days: number,
    private readonly today: string,
  ) {}

  /** The new last day of some work. @throws Problem 409 `shift_into_past` if it is before today, 400 if out of range. */
  end(date: string | null): string | null {
    if (date === null) return null;
    const moved = this.calendar.add(date, this.days, '/params/days');
    if (this.days < 0 && moved < this.today)
      throw new Problem('shift_into_past', `The shift would move ${date} to ${moved}, which has passed.`);
    return moved;
  }

  /** The new first day of some work. Work that has begun does not begin earlier. */
  start(date: string | null): string | null {
    return date !== null && this.days < 0 && date < this.today ? date : this.end(date);
  }
}
