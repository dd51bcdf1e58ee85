import { Injectable } from '@nestjs/common';
import { type Period, periodEnd } from '#libs/ai/period.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';

/**
 * Budget periods in the tenant's calendar. An account is identified by the first day of its period, so a tenant that
 * changes its time zone keeps the account and cannot spend the limit twice.
 */
@Injectable()
export class BudgetPeriods {
  constructor(
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
  ) {}

  /** `YYYY-MM-DD`. */
  async today(): Promise<string> {
    return civilDateAt(this.clock.nowMs(), await this.timeZone());
  }

  /** End of the period that contains a day. */
  async endOf(period: Period, day: string): Promise<string> {
    return periodEnd(period, day, await this.timeZone());
  }

  async timeZone(): Promise<string> {
    const { general } = await this.settings.get();
    return general.timezone;
  }
}
