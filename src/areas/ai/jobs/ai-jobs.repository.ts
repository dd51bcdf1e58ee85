import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { AiJob } from './job.js';
import { aiJobLifecycle } from './job.lifecycle.js';
import { aiJobs } from './job.resource.js';
import type { JobTarget } from './job.parts.js';

const ADD_TARGETS = `insert into data.ai_job_targets (tenant_id, job_id, object, record_id)
  select $1, $2, object, record_id from unnest($3::text[], $4::uuid[]) as x (object, record_id)
  on conflict do nothing`;
const LOCK_CLASS = 7_463_556;
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext($1))`;
const TAKEN_SINCE = `select count(*) as taken, min(at) as first from (
    select created_at as at from data.ai_jobs
      where tenant_id = $1 and created_at > $2 and archived_at is null and deleted_at is null
    union all
    select occurred_at from data.record_transitions
      where tenant_id = $1 and object = '${aiJobs.type}' and occurred_at > $2 and from_state = any($3) and action = 'retry') x`;
const HAS_WORKSPACE = `select 1 from data.workspaces where tenant_id = $1 and id = $2 and archived_at is null`;

@Injectable()
export class AiJobsRepository extends ResourceRepository<AiJob> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, AiJob);
  }

  /** Statement that stores the target records of a new job. */
  addTargets(jobId: string, targets: readonly JobTarget[]): Statement {
    const [objects, ids] = [targets.map(({ object }) => object), targets.map(({ id }) => id)];
    return statement(ADD_TARGETS, [currentTenant().id, jobId, objects, ids]);
  }

  /** Whether the workspace exists and can contain jobs. */
  async hasWorkspace(id: string): Promise<boolean> {
    return (await this.database.read(statement(HAS_WORKSPACE, [currentTenant().id, id]))).length > 0;
  }

  /**
   * How many jobs the tenant has created or retried since an instant, and when the first of them was. Concurrent
   * callers wait until the transaction ends, so none is missed.
   */
  async takenSince(transaction: Transaction, instant: string): Promise<{ taken: number; first: string | null }> {
    const { id } = currentTenant();
    const [, [row]] = (await transaction.queryAll([
      statement(TAKE_TURNS, [id]),
      statement(TAKEN_SINCE, [id, instant, [...aiJobLifecycle.transitions.retry.from]]),
    ])) as [unknown, [{ taken: number; first: string | null }]]; // as selected
    return row;
  }
}
