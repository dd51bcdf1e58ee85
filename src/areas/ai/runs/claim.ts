import { statement, type Statement } from '#libs/database/statement.js';

/** Lease duration without renewal, which is also the maximum delay after a worker dies. */
export const LEASE_SECONDS = 5;
/** Maximum number of tenants per claim. */
export const LANES = 1_000;

const LOCK = 7_463_554;

// Claims are serialized to keep the caps of tenants exact with any number of workers. Each takes milliseconds.
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK})`;

/*
 * Purpose: lease jobs to be run or closed, fairly. A tenant's policy limits its leases, including existing ones ($4 by
 * default), and a suspended tenant gets none. Tenants with the fewest running jobs come first, then the longest wait; a
 * priority counts as minutes of waiting. Jobs of dead workers come before new ones. A running job whose lease expired
 * without being released counts a takeover, which limits how many workers one job can kill.
 */
const CLAIM = `
  with recursive tenant (id) as (
    (select tenant_id from data.ai_queue where state <> 'waiting' and tenant_id > $1::uuid order by tenant_id limit 1)
    union all
    select next.tenant_id from tenant, lateral (
      select q.tenant_id from data.ai_queue q where q.state <> 'waiting' and q.tenant_id > tenant.id
      order by q.tenant_id limit 1) next),
  looked as materialized (select id from tenant limit ${LANES}),
  leased as materialized (
    select tenant_id, count(*) as jobs from data.ai_queue
    where lease_token is not null and lease_until > now() group by tenant_id),
  lanes as materialized (
    select looked.id, coalesce(leased.jobs, 0) as jobs,
      case when t.is_served then greatest(0, coalesce(l.concurrency, $4::integer) - coalesce(leased.jobs, 0)) else 0 end as room
    from looked join directory.tenants t on t.id = looked.id left join data.ai_lanes l on l.tenant_id = looked.id left join leased on leased.tenant_id = looked.id),
  due as materialized (
    select lanes.id as tenant_id, lanes.jobs, entry.* from lanes cross join lateral (
      (select q.job_id, false as fresh, q.rank_at from data.ai_queue q
        where q.tenant_id = lanes.id and q.state in ('running', 'closing')
          and (q.lease_until is null or q.lease_until <= now())
        order by q.rank_at limit lanes.room)
      union all
      (select q.job_id, true, q.rank_at from data.ai_queue q
        where q.tenant_id = lanes.id and q.state = 'due' and q.due_at <= now() and q.stop_reason is null
          and (q.expires_at is null or q.expires_at > $5::timestamptz)
          and (q.lease_until is null or q.lease_until <= now())
        order by q.rank_at limit lanes.room)) entry
    where lanes.room > 0),
  turns as (
    select *, row_number() over (partition by tenant_id order by fresh, rank_at) as turn from due),
  chosen as (
    select turns.tenant_id, turns.job_id from turns join lanes on lanes.id = turns.tenant_id
    where turn <= lanes.room order by turn + turns.jobs, fresh, rank_at limit $2),
  free as materialized (
    select q.tenant_id, q.job_id from chosen join data.ai_queue q using (tenant_id, job_id)
    where q.state <> 'waiting' and (q.lease_until is null or q.lease_until <= now())
    for no key update of q skip locked),
  claimed as (
    update data.ai_queue q set lease_token = $3, lease_until = now() + interval '${LEASE_SECONDS} seconds',
      takeovers = q.takeovers + (q.state = 'running' and q.lease_token is not null)::integer
    from free where q.tenant_id = free.tenant_id and q.job_id = free.job_id
    returning q.tenant_id, q.job_id)
  select tenant_id as "tenantId", job_id as "jobId" from claimed
  union all
  (select id, null from looked order by id offset ${LANES - 1})`;

/** Parameters of a claim. */
export interface ClaimRequest {
  /** Starts with the tenant after this one. */
  afterTenantId: string;
  /** Maximum number of jobs. */
  room: number;
  /** Token of the new leases. */
  token: string;
  /** Concurrent jobs per tenant if its policy does not say otherwise. */
  concurrency: number;
  /** Jobs whose deadline is earlier are omitted. */
  now: string;
}

/**
 * Leases due jobs. Returns one row per lease (`tenantId`, `jobId`), and one row without a job if more tenants remain:
 * the next claim starts after it.
 */
export function claimStatements({ afterTenantId, room, token, concurrency, now }: ClaimRequest): Statement[] {
  return [statement(TAKE_TURNS), statement(CLAIM, [afterTenantId, room, token, concurrency, now])];
}
