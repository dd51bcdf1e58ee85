import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { TenantUpkeep } from '#libs/worker/tenant-upkeep.js';

const EVERY_MS = 21_600_000;
const KEPT_DAYS = 180;
const FORGET = `delete from data.notifications where tenant_id = $1 and created_at < $2`;

/** Deletes notifications after half a year. */
@Injectable()
export class NotificationRetentionUpkeep extends TenantUpkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    tenants: TenantFactsReader,
  ) {
    super('The removal of old notifications', EVERY_MS, 'home', tenants);
  }

  protected async keepUp(): Promise<void> {
    const before = new Date(this.clock.nowMs() - KEPT_DAYS * DAY_MS).toISOString();
    await this.database.aside([statement(FORGET, [currentTenant().id, before])]);
  }
}
