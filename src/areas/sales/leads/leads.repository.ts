import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Lead } from './lead.entity.js';

const ONE_BY_ONE = `select pg_advisory_xact_lock(hashtextextended('sales.lead.convert ' || $1, 0))`;

@Injectable()
export class LeadsRepository extends ResourceRepository<Lead> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Lead);
  }

  /** Lets one conversion of the tenant run at a time, so that two leads of one person find the same contact. */
  async convertOneByOne(transaction: Transaction): Promise<void> {
    await transaction.query(statement(ONE_BY_ONE, [currentTenant().id]));
  }
}
