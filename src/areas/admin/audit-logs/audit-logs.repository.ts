import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { AuditLogRow } from './audit-log.entity.js';

@Injectable()
export class AuditLogsRepository extends ResourceRepository<AuditLogRow> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AuditLogRow);
  }
}
