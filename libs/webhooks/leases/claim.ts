import type { Plan } from '#libs/auth/plans.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { busyOf, KEPT, noteOf, sendingColumns, sendingOf, workerOf } from './lease-owner.js';
import { INDEX_ORDER, setting } from './planning.js';

/** Lease duration without renewal, which is also the maximum delay after a worker dies. */
export const LEASE_SECONDS = 6;
/** Concurrent deliveries per endpoint over all workers, unless the endpoint sets a limit. */
export const ENDPOINT_CAP = 10;
/** Concurrent deliveries per tenant over all workers, by plan. */
export const TENANT_CAPS = { free: 10, starter: 15, business: 20, enterprise: 30 } as const satisfies Record<
  Plan,
  number
>;

/** SQL: the lane `l` is paused, because its breaker is open or its receiver has requested a pause. */
export const CLOSED = `coalesce(l.open_until > now(), false)`;

/** Endpoints per claim. */
const LANES = 1_000;
const LOCK = 7_463_553;
/** SQL: maximum number of concurrent leases of the tenant `t`; 0 while it is not served. */
export const TENANT_CAP = `case when not t.is_served then 0 else case t.plan ${Object.entries(TENANT_CAPS)
  .map(([plan, cap]) => `when '${plan}' then ${cap}`)
  .join(' ')} end end`;
/** SQL: maximum number of concurrent leases of the lane `l`. */
export const LANE_CAP = `coalesce(l.max_concurrency, ${ENDPOINT_CAP})`;
/** Share of its rate limit per second that an endpoint may use at once after a pause. */
const BURST = `interval '100 milliseconds'`;

/**
 * How many deliveries a process can accept. Half of its slots are reserved for first attempts; slow endpoints get only
 * a few.
 */
export interface Room {
  /** Maximum number of deliveries. */
  total: number;
  /** Maximum number of retries among them. */
  retries: number;
  /** Maximum number for slow endpoints among them. */
  slow: number;
}

/** A claim starts after this endpoint. */
export interface LanePosition {
  tenantId: string;
  endpointId: string;
}

/*
 * Claims are serialized to keep caps and rate limits exact with any number of workers. Each takes milliseconds. They
 * are planned once, whatever the state of the queue, so they are written to allow only index lookups. A claim lost in a
 * server crash is equivalent to expired leases.
 */
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK}), ${setting(INDEX_ORDER)}`;
const TAKE_TURNS_WITHOUT_DISK = `${TAKE_TURNS}, ${setting({ synchronous_commit: 'off' })}`;

/** Acquires the lease lock: the rest of the transaction, which leases, waits for concurrent leasing. */
export const LEASING = statement(TAKE_TURNS);

/** SQL: the queue entry `q` is not leased, or its lease has expired. */
export const UNLEASED = `coalesce(q.leased_until, now()) <= now()`;

/*
 * Purpose: lease due deliveries, fairly. Order: round robin over tenants, within a tenant over endpoints, within an
 * endpoint the longest due first. Skips over webhook_queue_due_idx from endpoint to endpoint, so the backlog of one
 * endpoint does not slow down the others.
 *
 * A leased entry keeps its position in that index and is skipped. It counts towards the caps through the workers'
 * claims, which are recorded here. A lease therefore adds no index entry (heap-only tuple).
 *
 * An open breaker closes its lane to all but manual attempts (webhook_queue_manual_idx); after it, one attempt at a
 * time is admitted. In an ordered lane, an entry waits for earlier entries of the same resource and for one in flight.
 * All entries wait for deliveries that started before the lane was ordered and have no row yet. Manual attempts wait
 * for nothing else. An expired lease is due again.
 *
 * Locked entries are skipped. Found entries are locked and updated by their position (`ctid`) without another lookup,
 * because a position is not reused while the statement runs.
 */
const CLAIM = `
  with recursive lane (tenant_id, endpoint_id) as (
    (select tenant_id, endpoint_id from data.webhook_queue
      where not direct and (tenant_id, endpoint_id) > ($1::uuid, $2::uuid)
      order by tenant_id, endpoint_id limit 1)
    union all
    select next.tenant_id, next.endpoint_id from lane, lateral (
      select q.tenant_id, q.endpoint_id from data.webhook_queue q
      where not q.direct and (q.tenant_id, q.endpoint_id) > (lane.tenant_id, lane.endpoint_id)
      order by q.tenant_id, q.endpoint_id limit 1) next),
  looked as materialized (select tenant_id, endpoint_id from lane limit ${LANES}),
  kept as materialized (${KEPT}),
  sending as (${sendingOf(8)}),
  busy as (${busyOf('looked')}),
  lanes as materialized (
    select busy.tenant_id, busy.endpoint_id, l.slow, l.ordering = 'per_resource' as ordered, l.max_per_second,
      ${CLOSED} as closed, case when busy.is_sending and l.ordering = 'per_resource' then 0 else greatest(0, least(
        case when l.openings > 0 then 1 else ${LANE_CAP} end - busy.entries,
        case when l.max_per_second is null then null when l.taken_until > now() then 0 else greatest(1, floor(
          l.max_per_second * extract(epoch from now() - greatest(l.taken_until, now() - ${BURST})))) end
        )) end::integer as room, ${TENANT_CAP} - busy.of_tenant as tenant_room
    from busy
      cross join lateral (select * from data.webhook_lanes l
        where l.tenant_id = busy.tenant_id and l.endpoint_id = busy.endpoint_id offset 0) l
      cross join lateral (select plan, is_served from directory.tenants t where t.id = busy.tenant_id offset 0) t
    where is_looked_at),
  due as materialized (
    select lanes.*, entry.place, entry.due_at, kind.retry, entry.turn
    from lanes cross join (values (false), (true)) kind (retry), lateral (
      select place, due_at, row_number() over (order by due_at) as turn from (
        select q.ctid as place, q.due_at from data.webhook_queue q
        where q.tenant_id = lanes.tenant_id and q.endpoint_id = lanes.endpoint_id and q.retry = kind.retry
          and not q.direct and q.due_at <= now() and ${UNLEASED}
          and not (lanes.ordered and q.cause <> 'manual' and coalesce((select true from data.webhook_queue other
            where other.tenant_id = q.tenant_id and other.endpoint_id = q.endpoint_id and other.subject_id = q.subject_id
              and not other.direct and other.delivery_id <> q.delivery_id
              and (other.sequence < q.sequence or other.leased_until > now())
            order by other.sequence limit 1), false))
        order by q.due_at limit lanes.room) longest) entry
    where lanes.room > 0 and not lanes.closed
    union all
    select lanes.*, asked.* from lanes cross join lateral (
      select place, due_at, retry, row_number() over (partition by retry order by due_at) as turn from (
        select q.ctid as place, q.due_at, q.retry from data.webhook_queue q
        where q.tenant_id = lanes.tenant_id and q.endpoint_id = lanes.endpoint_id and q.cause = 'manual' and q.due_at <= now()
          and ${UNLEASED}
        order by q.due_at limit lanes.room) longest) asked
    where lanes.room > 0 and lanes.closed),
  fresh_enough as (
    select *, 0 as retry_turn from due where not retry
    union all
    select * from (select *, row_number() over (order by turn, due_at) as retry_turn from due where retry) t
    where retry_turn <= $5),
  in_lane as materialized (
    select * from (
      select *, row_number() over (partition by tenant_id, endpoint_id order by turn, due_at) as lane_turn from fresh_enough) t
    where lane_turn <= room),
  fast_enough as (
    select *, 0 as slow_turn from in_lane where not slow
    union all
    select * from (select *, row_number() over (order by lane_turn, due_at) as slow_turn from in_lane where slow) t
    where slow_turn <= $6),
  in_tenant as (
    select *, row_number() over (partition by tenant_id order by lane_turn, due_at) as tenant_turn from fast_enough),
  chosen as (
    select tenant_id, endpoint_id, place, slow, max_per_second
    from in_tenant where tenant_turn <= tenant_room order by tenant_turn, due_at limit $3),
  free as materialized (
    select chosen.* from chosen join data.webhook_queue q on q.ctid = chosen.place
    where q.due_at <= now() and ${UNLEASED} for no key update of q skip locked),
  claimed as (
    update data.webhook_queue q
    set lease_token = $4, leased_until = now() + interval '${LEASE_SECONDS} seconds'
    from free where q.ctid = free.place
    returning q.tenant_id, q.endpoint_id, q.delivery_id, q.retry, free.slow),
  metered as (
    update data.webhook_lanes l
    set taken_until = greatest(l.taken_until, now() - ${BURST}) + taken.entries * interval '1 second' / l.max_per_second
    from (select tenant_id, endpoint_id, count(*) as entries from free where max_per_second is not null
      group by tenant_id, endpoint_id) taken
    where l.tenant_id = any (array[taken.tenant_id]) and l.endpoint_id = any (array[taken.endpoint_id])),
  noted as (${noteOf('claimed', '$7')}),
  forgotten as (
    delete from data.webhook_claims c
    where not exists (select 1 from kept where kept.tenant_id = c.tenant_id and kept.worker = c.worker)
      and not (c.worker = $7 and c.tenant_id in (select tenant_id from claimed)))
  select tenant_id as "tenantId", endpoint_id as "endpointId", delivery_id as id, retry, slow from claimed
  union all
  (select tenant_id, endpoint_id, null, null, null from looked order by tenant_id, endpoint_id offset ${LANES - 1})`;

/** Acquires the lease lock, and does not wait for the disk at commit. */
export const CLAIMING = statement(TAKE_TURNS_WITHOUT_DISK);

/**
 * Leases due deliveries under `token`, within the limits and in addition to those without rows. Returns one row per
 * lease (`tenantId`, `endpointId`, `id`, `retry`, `slow`), and one without an `id` if more endpoints remain: the next
 * claim starts after it. Requires {@link CLAIMING} before it.
 */
export function claimStatement(
  { tenantId, endpointId }: LanePosition,
  room: Room,
  token: string,
  sending: readonly { tenantId: string; endpointId: string; id: string }[],
): Statement {
  const shares = [room.total, token, room.retries, room.slow];
  return statement(CLAIM, [tenantId, endpointId, ...shares, workerOf(token), ...sendingColumns(sending)]);
}
