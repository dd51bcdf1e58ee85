import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { TimelineRepository } from '../timeline.repository.js';
import { Attachment } from './attachment.entity.js';

const ERASE = `delete from data.attachments where tenant_id = $1 and record_id = $2 and id = $3`;

@Injectable()
export class AttachmentsRepository extends TimelineRepository<Attachment> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Attachment);
  }

  /** Permanently deletes a row. */
  erase({ recordId, id }: Attachment): Statement {
    return statement(ERASE, [currentTenant().id, recordId, id]);
  }
}
