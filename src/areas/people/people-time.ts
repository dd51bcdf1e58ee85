import { Injectable } from '@nestjs/common';
import { civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { currentScope } from '#libs/tenancy/scope.js';

/** Days as the tenant counts them: they begin at midnight in the time zone of its settings. */
@Injectable()
export class PeopleTime {
  constructor(
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
  ) {}

  /** Today's date, the same for a whole request. */
  async today(): Promise<string> {
    const at = (currentScope().stampedAt ??= this.clock.now().toISOString());
    return civilDateAt(Date.parse(at), await this.timeZone());
  }

  /** The instant at which a date begins. */
  async startOf(date: string): Promise<string> {
    return new Date(startOfDayMs(date, await this.timeZone())).toISOString();
  }

  private async timeZone(): Promise<string> {
    return (await this.settings.get()).general.timezone;
  }
}
