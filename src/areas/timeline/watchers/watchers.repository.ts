import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TimelineRepository } from '../timeline.repository.js';
import { Watcher } from './watcher.entity.js';

const ERASE = `delete from data.record_watchers where tenant_id = $1 and record_id = $2 and id = $3`;

@Injectable()
export class WatchersRepository extends TimelineRepository<Watcher> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Watcher);
  }

  /** Permanently deletes a row. */
  erase({ recordId, id }: Watcher): Statement {
    return statement(ERASE, [currentTenant().id, recordId, id]);
  }
}
