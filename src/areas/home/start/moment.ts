import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { civilDateAt } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { Members } from '#libs/members/members.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';

/** The current day of the caller. */
export interface Moment {
  timezone: string;
  /** `YYYY-MM-DD` in that time zone. */
  today: string;
}

/** Tells the current day of callers: in their own time zone, by default in that of the tenant. */
@Injectable()
export class Moments {
  constructor(
    private readonly members: Members,
    private readonly settings: TenantSettings,
    private readonly clock: Clock,
  ) {}

  async current(): Promise<Moment> {
    const { membershipId } = currentPrincipal();
    const own = membershipId === null ? null : ((await this.members.find(membershipId))?.timezone ?? null);
    const timezone = own ?? (await this.settings.get()).general.timezone;
    return { timezone, today: civilDateAt(this.clock.nowMs(), timezone) };
  }
}
