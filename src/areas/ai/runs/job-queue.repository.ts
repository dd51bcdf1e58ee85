import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { currentTenant, type TenantFacts } from '#libs/tenancy/scope.js';
import { type ClaimRequest, claimStatements, LEASE_SECONDS } from './claim.js';
import { type HeldLease, type Lease, LeaseLost, type QueueEntry } from './lease.js';

/** Maximum number of jobs per search for expired or stopped jobs. */
export const SWEPT = 200;

const FACTS = `t.id, t.slug, t.plan, t.currency, t.epoch::text as epoch`;
const TAKE = `
  update data.ai_queue q set lease_token = $4, lease_until = now() + interval '${LEASE_SECONDS} seconds'
  from directory.tenants t
  where q.tenant_id = $1 and q.job_id = $2 and q.lease_token = $3 and t.id = q.tenant_id returning ${FACTS}`;
// Skips locked rows: their holder is writing them, or another worker is claiming them, so they need no renewal.
const MINE = `
  with mine as (
    select q.tenant_id, q.job_id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
    join data.ai_queue q on q.tenant_id = l.tenant_id and q.job_id = l.id and q.lease_token = l.token
    for no key update of q skip locked)
  update data.ai_queue q`;
const OF_MINE = `from mine where q.tenant_id = mine.tenant_id and q.job_id = mine.job_id`;
const RENEW = `${MINE} set lease_until = now() + interval '${LEASE_SECONDS} seconds' ${OF_MINE}`;
const STATES = `
  select q.job_id as "jobId", q.state from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
  join data.ai_queue q on q.tenant_id = l.tenant_id and q.job_id = l.id and q.lease_token = l.token`;
const GIVE_BACK = `${MINE} set lease_token = null, lease_until = null ${OF_MINE}`;
const EXPIRED = `
  select q.job_id as "jobId", ${FACTS} from data.ai_queue q join directory.tenants t on t.id = q.tenant_id
  where q.state in ('waiting', 'due') and q.expires_at <= $1 order by q.expires_at limit ${SWEPT}`;
const STOPPED = `
  select q.job_id as "jobId", q.stop_reason as "reason", ${FACTS}
  from data.ai_queue q join directory.tenants t on t.id = q.tenant_id
  where q.stop_reason is not null and q.state <> 'closing' order by q.tenant_id, q.job_id limit ${SWEPT}`;

// Lock order: the job, then its queue entry.
const LOCK_JOB = `select traceparent from data.ai_jobs where tenant_id = $1 and id = $2 for no key update`;
const FENCE = `
  select state, stop_reason as "stopReason", takeovers from data.ai_queue
  where tenant_id = $1 and job_id = $2 and lease_token = $3 for update`;
const POSTPONE = `update data.ai_queue set due_at = $4, lease_token = null, lease_until = null
  where tenant_id = $1 and job_id = $2 and lease_token = $3`;
const FORGET = `delete from data.ai_queue where tenant_id = $1 and job_id = $2 and lease_token = $3`;

/** A job that must be ended, which requires no lease. */
export interface SweptJob {
  jobId: string;
  tenant: TenantFacts;
  /** Reason to cancel the job; absent if it has expired. */
  reason?: string;
}

type SweptRow = TenantFacts & { jobId: string; reason?: string };

/** The queue of jobs and their leases. Statements across tenants require the `system` role. */
@Injectable()
export class JobQueueRepository {
  private afterTenantId = NIL_UUID;

  constructor(private readonly database: Database) {}

  /** Leases up to `room` jobs under `token`. */
  async claim(request: Omit<ClaimRequest, 'afterTenantId'>): Promise<Lease[]> {
    const answers = await this.database.system(claimStatements({ ...request, afterTenantId: this.afterTenantId }));
    const rows = answers[1]!.rows as unknown as { tenantId: string; jobId: string | null }[]; // as selected
    this.afterTenantId = rows.find(({ jobId }) => jobId === null)?.tenantId ?? NIL_UUID;
    return rows.flatMap(({ tenantId, jobId }) => (jobId === null ? [] : [{ tenantId, jobId, token: request.token }]));
  }

  /** Replaces the token of a lease; null if another worker has it now. */
  async take({ tenantId, jobId, token }: Lease, newToken: string): Promise<HeldLease | null> {
    const [tenant] = await this.database.systemRead<TenantFacts>(statement(TAKE, [tenantId, jobId, token, newToken]));
    return tenant ? { tenantId, jobId, token: newToken, tenant } : null;
  }

  /** Renews leases. Returns the states of the jobs that are still leased, by job. */
  async renew(leases: readonly Lease[]): Promise<Map<string, QueueEntry['state']>> {
    const values = keysOf(leases);
    const [, states] = await this.database.system([statement(RENEW, values), statement(STATES, values)]);
    const rows = states!.rows as unknown as { jobId: string; state: QueueEntry['state'] }[]; // as selected
    return new Map(rows.map(({ jobId, state }) => [jobId, state]));
  }

  /** Releases leases, which lets others claim the jobs at once. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    if (leases.length > 0) await this.database.system([statement(GIVE_BACK, keysOf(leases))]);
  }

  /** Jobs that have not started and whose deadline is before an instant. */
  async expired(at: string): Promise<SweptJob[]> {
    return (await this.database.systemRead<SweptRow>(statement(EXPIRED, [at]))).map(swept);
  }

  /** Jobs that must be cancelled. */
  async stopped(): Promise<SweptJob[]> {
    return (await this.database.systemRead<SweptRow>(statement(STOPPED))).map(swept);
  }

  /** Runs a unit of work that only the holder of the lease may run. @throws LeaseLost. */
  async fenced<T>(lease: Lease, work: (transaction: Transaction, entry: QueueEntry) => Promise<T>): Promise<T> {
    return this.database.transaction(async (transaction) => {
      const [[job], [entry]] = (await transaction.queryAll([
        statement(LOCK_JOB, [lease.tenantId, lease.jobId]),
        statement(FENCE, [lease.tenantId, lease.jobId, lease.token]),
      ])) as [Pick<QueueEntry, 'traceparent'>[], Omit<QueueEntry, 'traceparent'>[]];
      if (!job || !entry) throw new LeaseLost(`The job ${lease.jobId} is somebody else's now.`);
      return work(transaction, { ...entry, ...job });
    });
  }

  /** Postpones a job until an instant and releases it. */
  postpone(transaction: Transaction, { jobId, token }: Lease, until: string): void {
    transaction.write(statement(POSTPONE, [currentTenant().id, jobId, token, until]));
  }

  /** Removes a finished, settled job from the queue. */
  forget(transaction: Transaction, { jobId, token }: Lease): void {
    transaction.write(statement(FORGET, [currentTenant().id, jobId, token]));
  }
}

function keysOf(leases: readonly Lease[]): [string[], string[], string[]] {
  return [leases.map(({ tenantId }) => tenantId), leases.map(({ jobId }) => jobId), leases.map(({ token }) => token)];
}

function swept({ jobId, reason, ...tenant }: SweptRow): SweptJob {
  return { jobId, tenant, ...(reason === undefined ? {} : { reason }) };
}
