import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TimeEntry } from './time-entry.js';

const RUNNING = `select id from data.work_time_entries
  where tenant_id = $1 and membership_id = $2 and running_since is not null and deleted_at is null`;

@Injectable()
export class TimeEntriesRepository extends ResourceRepository<TimeEntry> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, TimeEntry);
  }

  /** Id of the member's entry with a running timer; null if none. */
  async runningOf(membershipId: string): Promise<string | null> {
    const [row] = await this.database.read<{ id: string }>(statement(RUNNING, [currentTenant().id, membershipId]));
    return row?.id ?? null;
  }
}
