import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TimelineRepository } from '../timeline.repository.js';
import { RecordLink } from './record-link.entity.js';

// In a fixed order, so that concurrent callers from both sides wait instead of deadlocking.
const LOCK_BOTH = `select record_id from data.record_links where tenant_id = $1 and id = $2 order by record_id for update`;
const ERASE_BOTH = `delete from data.record_links where tenant_id = $1 and id = $2`;

@Injectable()
export class LinksRepository extends TimelineRepository<RecordLink> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, RecordLink);
  }

  override async lockOf(transaction: Transaction, recordId: string, id: string): Promise<RecordLink | null> {
    await transaction.query(statement(LOCK_BOTH, [currentTenant().id, id]));
    return super.lockOf(transaction, recordId, id);
  }

  /** Removes the link from both records. */
  erase({ id }: RecordLink): Statement {
    return statement(ERASE_BOTH, [currentTenant().id, id]);
  }
}
