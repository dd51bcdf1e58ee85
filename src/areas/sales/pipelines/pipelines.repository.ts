import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Pipeline } from './pipeline.entity.js';

const DEFAULT = `select id from data.sales_pipelines where tenant_id = $1 and is_default`;
const LOCK_DEFAULT = `${DEFAULT} for no key update`;
const USED = `select exists (select 1 from data.sales_deals where tenant_id = $1 and pipeline_id = $2) as used`;

@Injectable()
export class PipelinesRepository extends ResourceRepository<Pipeline> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Pipeline);
  }

  /** The pipeline that new deals go to; null before the tenant has one. */
  async findDefault(): Promise<Pipeline | null> {
    const [row] = await this.database.read<{ id: string }>(statement(DEFAULT, [currentTenant().id]));
    return row ? this.find(row.id) : null;
  }

  /**
   * As {@link findDefault}, locked until the transaction ends. Null also when another pipeline became the default while
   * this waited for the lock.
   */
  async lockDefault(transaction: Transaction): Promise<Pipeline | null> {
    const [row] = await transaction.query<{ id: string }>(statement(LOCK_DEFAULT, [currentTenant().id]));
    return row ? this.lock(transaction, row.id) : null;
  }

  /** Whether any deal, also one in the trash, is in the pipeline. */
  async isUsed(transaction: Transaction, id: string): Promise<boolean> {
    const [row] = await transaction.query<{ used: boolean }>(statement(USED, [currentTenant().id, id]));
    return row!.used;
  }
}
