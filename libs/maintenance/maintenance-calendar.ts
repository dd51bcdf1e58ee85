import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { AnnouncedWindow } from './announced-window.js';

const COLUMNS = `title, starts_at as "startsAt", ends_at as "endsAt"`;
const OF_TENANT = `
  select id, 'platform' as scope, ${COLUMNS} from directory.maintenance($2::timestamptz, $3::timestamptz)
  union all
  select id, 'tenant', ${COLUMNS} from data.maintenance_windows
    where tenant_id = $1 and ends_at > $2::timestamptz and starts_at < $3::timestamptz
  order by "startsAt", id`;
const OF_PLATFORM = `select id, 'platform' as scope, ${COLUMNS} from directory.maintenance($1::timestamptz, $2::timestamptz)`;

/** The announced maintenance. */
@Injectable()
export class MaintenanceCalendar {
  constructor(private readonly database: Database) {}

  /** The windows that concern the current tenant and overlap a span, by start. */
  ofTenant(from: string, to: string): Promise<AnnouncedWindow[]> {
    return this.database.read<AnnouncedWindow>(statement(OF_TENANT, [currentTenant().id, from, to]));
  }

  /** The windows that concern all tenants and overlap a span, by start. Needs no tenant. */
  async ofPlatform(from: string, to: string): Promise<AnnouncedWindow[]> {
    return this.database.systemRead<AnnouncedWindow>(statement(OF_PLATFORM, [from, to]));
  }
}
