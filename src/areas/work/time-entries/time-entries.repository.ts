import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TimeEntry } from './time-entry.js';

const RUNNING = `select id from data.work_time_entries
  where tenant_id = $1 and membership_id = $2 and running_since is not null and deleted_at is null`;
// The lock of the trigger that limits a day.
const LOCK_DAY = `select pg_advisory_xact_lock(hashtextextended('work.day ' || $1::text || $2::text || $3::date, 0))`;
const LOGGED = `select coalesce(sum(minutes), 0)::integer as minutes from data.work_time_entries
  where tenant_id = $1::uuid and membership_id = $2::uuid and work_date = $3::date and deleted_at is null`;

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

  /** Minutes of a member's entries for a day, which keep their sum until the end of the transaction. */
  async loggedOn(transaction: Transaction, { membershipId, workDate }: TimeEntry): Promise<number> {
    const parameters = [currentTenant().id, membershipId, workDate];
    transaction.write(statement(LOCK_DAY, parameters));
    const [row] = await transaction.query<{ minutes: number }>(statement(LOGGED, parameters));
    return row!.minutes;
  }
}
