import { Injectable } from '@nestjs/common';
import { type Guard, guarded } from '#libs/access/guard.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { Job } from './job.entity.js';

const OCCUPIED = `select distinct stage from data.talent_applications
  where tenant_id = $1 and job_id = $2 and status = 'active' and stage <> all($3)`;
const PRIVATE = `select 1 from data.talent_applications a join data.talent_candidates t
    on t.tenant_id = a.tenant_id and t.id = a.candidate_id
  where a.tenant_id = $1 and a.job_id = $2 and t.is_private`;

@Injectable()
export class JobsRepository extends ResourceRepository<Job> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Job);
  }

  /** Whether there are private candidates for the job that the guard does not let through. */
  async hasPrivate(jobId: string, seen: Guard): Promise<boolean> {
    const unseen: Guard = (add) => `(${seen(add)}) is not true`;
    const query = guarded(PRIVATE, [currentTenant().id, jobId], unseen, ' limit 1');
    return (await this.database.read(query)).length > 0;
  }

  /** Stages besides `kept` that open applications of the job are in. */
  async occupiedBesides(transaction: Transaction, jobId: string, kept: string[]): Promise<string[]> {
    const query = statement(OCCUPIED, [currentTenant().id, jobId, kept]);
    return (await transaction.query<{ stage: string }>(query)).map(({ stage }) => stage);
  }
}
