import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Approval } from './approval.entity.js';

const PENDING = `select id from data.approvals
  where tenant_id = $1 and target_object = $2 and target_id = $3 and action = $4 and status = 'pending'`;

@Injectable()
export class ApprovalsRepository extends ResourceRepository<Approval> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Approval);
  }

  /** Id of the request that waits for the same action on the same record; null when there is none. */
  async findPending(transaction: Transaction, object: string, id: string, action: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(PENDING, [currentTenant().id, object, id, action]));
    return row?.id ?? null;
  }
}
