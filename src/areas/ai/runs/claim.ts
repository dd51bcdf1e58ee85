import { statement, type Statement } from '#libs/database/statement.js';

/** How long a lease lasts without being renewed: what the death of a worker delays its jobs. */
export const LEASE_SECONDS = 5;
/** Tenants that one claim looks at. */
export const LANES = 1_000;

const LOCK = 7_463_554;

// Claims take turns, so that the caps of tenants hold exactly however many workers there are; each takes milliseconds.
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK})`;

/*
 * Purpose: lease what is to be run or closed, fairly. A tenant gets as many places as its policy says, what is leased
 * already counted ($4 where it says nothing), and none while it is suspended. Whoever has least under way comes first, then who has waited longest; a
 * priority is worth minutes of waiting. Jobs whose worker is gone come before new ones. A job that ran when its lease ran
 * out (and was not given back) counts a take-over, so that one that kills its worker does not do so for ever.
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

/** What a claim asks for. */
export interface ClaimRequest {
  /** Begins with the tenant after this one. */
  afterTenantId: string;
  /** Jobs in all. */
  room: number;
  /** What the leases are to be held with. */
  token: string;
  /** Jobs of a tenant that run at a time where its policy has not been changed. */
  concurrency: number;
  /** What has its deadline before is left out. */
  now: string;
}

/**
 * Leases what is due. Answers a row per lease (`tenantId`, `jobId`), and one without a job when there are more tenants than
 * one claim looks at: the next one begins after it.
 */
export function claimStatements({ afterTenantId, room, token, concurrency, now }: ClaimRequest): Statement[] {
  return [statement(TAKE_TURNS), statement(CLAIM, [afterTenantId, room, token, concurrency, now])];
}
