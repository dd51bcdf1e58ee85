import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Job } from './job.entity.js';

const OCCUPIED = `select distinct stage from data.talent_applications
  where tenant_id = $1 and job_id = $2 and status = 'active' and stage <> all($3)`;

@Injectable()
export class JobsRepository extends ResourceRepository<Job> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Job);
  }

  /** Stages besides `kept` that open applications of the job are in. */
  async occupiedBesides(transaction: Transaction, jobId: string, kept: string[]): Promise<string[]> {
    const query = statement(OCCUPIED, [currentTenant().id, jobId, kept]);
    return (await transaction.query<{ stage: string }>(query)).map(({ stage }) => stage);
  }
}
