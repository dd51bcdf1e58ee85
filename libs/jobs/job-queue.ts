import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** How long a lease lasts without renewal, which is also how long the job of a dead worker waits. */
const LEASE_SECONDS = 5;
const LOCK = 7_463_555;

const ADD = `insert into data.job_queue (tenant_id, job_id, kind, due_at) values ($1, $2, $3, $4)`;
const FORGET = `delete from data.job_queue where tenant_id = $1 and job_id = $2`;

// Claims take turns, so that each sees the leases of the others. Each takes milliseconds.
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK})`;
// Goes from tenant to tenant in the index, so a tenant with many jobs costs no more than one with a single job. Tenants
// with the fewest running jobs come first, then the longest wait: after each turn a job waits anew. A lease that has
// expired is that of a dead worker, which counts as a failed attempt.
const CLAIM = `
  with recursive tenant (id) as (
    (select tenant_id from data.job_queue order by tenant_id limit 1)
    union all
    select next.tenant_id from tenant, lateral (
      select q.tenant_id from data.job_queue q where q.tenant_id > tenant.id order by q.tenant_id limit 1) next),
  leased as (
    select tenant_id, count(*) as jobs from data.job_queue
    where lease_token is not null and lease_until > now() group by tenant_id),
  due as (
    select t.id as tenant_id, next.job_id, next.due_at, coalesce(leased.jobs, 0) + next.turn as turn
    from tenant join directory.tenants t on t.id = tenant.id and t.is_served
      left join leased on leased.tenant_id = t.id
      cross join lateral (
        select q.job_id, q.due_at, row_number() over (order by q.due_at, q.job_id) as turn from data.job_queue q
        where q.tenant_id = t.id and q.due_at <= $1 and q.kind = any($2::text[])
          and (q.lease_token is null or q.lease_until <= now())
        order by q.due_at, q.job_id limit $3) next
    order by turn, next.due_at limit $3),
  free as materialized (
    select q.tenant_id, q.job_id from due join data.job_queue q using (tenant_id, job_id)
    for no key update of q skip locked)
  update data.job_queue q set lease_token = gen_random_uuid(), lease_until = now() + interval '${LEASE_SECONDS} seconds',
    attempts = q.attempts + (q.lease_token is not null)::integer
  from free where q.tenant_id = free.tenant_id and q.job_id = free.job_id
  returning q.tenant_id as "tenantId", q.job_id as "jobId", q.kind, q.attempts, q.lease_token as token`;
// Skips locked rows: their holder is writing them.
const MINE = `
  with mine as (
    select q.tenant_id, q.job_id from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
    join data.job_queue q on q.tenant_id = l.tenant_id and q.job_id = l.id and q.lease_token = l.token
    for no key update of q skip locked)
  update data.job_queue q`;
const OF_MINE = `from mine where q.tenant_id = mine.tenant_id and q.job_id = mine.job_id`;
const RENEW = `${MINE} set lease_until = now() + interval '${LEASE_SECONDS} seconds' ${OF_MINE}`;
const GIVE_BACK = `${MINE} set lease_token = null, lease_until = null ${OF_MINE}`;
const HELD = `
  select l.token from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (tenant_id, id, token)
  join data.job_queue q on q.tenant_id = l.tenant_id and q.job_id = l.id and q.lease_token = l.token`;
const FENCE = `select attempts from data.job_queue where tenant_id = $1 and job_id = $2 and lease_token = $3 for update`;
const NEXT = `update data.job_queue set due_at = $4, attempts = $5, lease_token = case when $6 then lease_token end,
  lease_until = case when $6 then clock_timestamp() + interval '${LEASE_SECONDS} seconds' end
  where tenant_id = $1 and job_id = $2 and lease_token = $3`;

/** The right to carry out a job. Lost once the job has another token, or none. */
export interface JobLease {
  tenantId: string;
  jobId: string;
  kind: string;
  /** How often the step that is due had failed when the job was leased. */
  attempts: number;
  token: string;
}

/** Somebody else carries out the job now, or it was cancelled: nothing may be written. */
export class JobLeaseLost extends Error {}

/** The statement that queues a job of the tenant in scope. Commit it together with the job. */
export function queueStatement({ id, kind, dueAt }: { id: string; kind: string; dueAt: string }): Statement {
  return statement(ADD, [currentTenant().id, id, kind, dueAt]);
}

/** The statement that takes a job of the tenant in scope out of the queue. Whoever carries it out loses the lease. */
export function unqueueStatement(jobId: string): Statement {
  return statement(FORGET, [currentTenant().id, jobId]);
}

/** The queue of jobs: what workers must know of them across tenants, without content. */
@Injectable()
export class JobQueue {
  constructor(private readonly database: Database) {}

  /** Leases up to `room` due jobs of these kinds, fairly. Needs the `system` role. */
  async claim(at: Date, kinds: readonly string[], room: number): Promise<JobLease[]> {
    const claim = statement(CLAIM, [at.toISOString(), kinds, room]);
    const answers = await this.database.system([statement(TAKE_TURNS), claim]);
    return answers[1]!.rows as unknown as JobLease[]; // as selected
  }

  /** Renews leases; returns the tokens of those that are still held. Needs the `system` role. */
  async renew(leases: readonly JobLease[]): Promise<Set<string>> {
    const keys = keysOf(leases);
    const [, held] = await this.database.system([statement(RENEW, keys), statement(HELD, keys)]);
    return new Set(held!.rows.map((row) => String(row['token'])));
  }

  /** Lets others claim the jobs at once. Needs the `system` role. */
  async giveBack(leases: readonly JobLease[]): Promise<void> {
    if (leases.length > 0) await this.database.system([statement(GIVE_BACK, keysOf(leases))]);
  }

  /**
   * Keeps all others from the job until the transaction ends; returns how often the present step has failed.
   * @throws JobLeaseLost.
   */
  async fence(transaction: Transaction, { tenantId, jobId, token }: JobLease): Promise<number> {
    const [row] = await transaction.query<{ attempts: number }>(statement(FENCE, [tenantId, jobId, token]));
    if (!row) throw new JobLeaseLost(`The job ${jobId} is somebody else's now.`);
    return row.attempts;
  }

  /** Says when a job is due next, after how many failed attempts, and whether its lease goes on. */
  goOn(
    transaction: Pick<Transaction, 'write'>,
    { tenantId, jobId, token }: JobLease,
    { dueAt, attempts, isKept }: { dueAt: string; attempts: number; isKept: boolean },
  ): void {
    transaction.write(statement(NEXT, [tenantId, jobId, token, dueAt, attempts, isKept]));
  }
}

function keysOf(leases: readonly JobLease[]): [string[], string[], string[]] {
  return [leases.map(({ tenantId }) => tenantId), leases.map(({ jobId }) => jobId), leases.map(({ token }) => token)];
}
