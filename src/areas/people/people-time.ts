import { Injectable } from '@nestjs/common';
import { addDays, civilDateAt, startOfDayMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantSettings } from '#libs/settings/tenant-settings.js';
import { stamp } from '#libs/tenancy/scope.js';

/** Days in the tenant's time zone: they begin at local midnight. */
@Injectable()
export class PeopleTime {
  constructor(
    private readonly clock: Clock,
    private readonly settings: TenantSettings,
  ) {}

  /** The timestamp of all changes in a request. */
  now(): string {
    return stamp(this.clock);
  }

  /** Today's date, the same for a whole request. */
  async today(): Promise<string> {
    return this.dateAt(this.now());
  }

  /** The date of an instant. */
  async dateAt(at: string): Promise<string> {
    return civilDateAt(Date.parse(at), await this.timeZone());
  }

  /** The instant at which a date begins. */
  async startOf(date: string): Promise<string> {
    return new Date(startOfDayMs(date, await this.timeZone())).toISOString();
  }

  /** The instant at which a date ends. */
  async endOf(date: string): Promise<string> {
    return this.startOf(addDays(date, 1));
  }

  private async timeZone(): Promise<string> {
    return (await this.settings.get()).general.timezone;
  }
}
