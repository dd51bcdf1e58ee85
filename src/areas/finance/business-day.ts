import { Injectable } from '@nestjs/common';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';

/** The first day of the books. An earlier one is a slip, such as 1926 for 2026. */
export const FIRST_DAY = '2000-01-01';

/** The accounting date: the current date in the tenant's time zone. */
@Injectable()
export class BusinessDay {
  constructor(
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
  ) {}

  /** `YYYY-MM-DD`. */
  async today(): Promise<string> {
    const { general } = await this.settings.get();
    return civilDateAt(this.clock.nowMs(), general.timezone);
  }

  /**
   * The day for a change of a document of another day: today, but never before that day. The tenant may have moved to
   * a time zone where it is still to come.
   */
  async todayFrom(day: string | null): Promise<string> {
    const today = await this.today();
    return day !== null && day > today ? day : today;
  }

  /**
   * @throws Problem 400 `in_future` for a day to come, on which nothing can be posted yet; `out_of_range` for one before
   * {@link FIRST_DAY}.
   */
  async requirePostable(day: string | null | undefined, pointer: string): Promise<void> {
    if (day == null) return;
    if (day < FIRST_DAY)
      throw Problem.validation([{ pointer, code: 'out_of_range', detail: `Nothing is posted before ${FIRST_DAY}.` }]);
    if (day > (await this.today()))
      throw Problem.validation([{ pointer, code: 'in_future', detail: 'The day has not begun for the tenant.' }]);
  }
}
