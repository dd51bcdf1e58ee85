import { Injectable } from '@nestjs/common';
import { type Period, periodEnd } from '#libs/ai/period.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';

/**
 * Periods of budgets in the tenant's own calendar. An account is found by the first day of its period, so a tenant that
 * moves to another time zone has the same account there, and not a new one with all its limit left.
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

  /** When the period that a day is in ends. */
  async endOf(period: Period, day: string): Promise<string> {
    return periodEnd(period, day, await this.timeZone());
  }

  async timeZone(): Promise<string> {
    const { general } = await this.settings.get();
    return general.timezone;
  }
}
