import { Injectable } from '@nestjs/common';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';

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
}
