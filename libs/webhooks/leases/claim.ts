import type { Plan } from '#libs/auth/plans.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { busyOf, KEPT, noteOf, sendingColumns, sendingOf, workerOf } from './lease-owner.js';
import { INDEX_ORDER, setting } from './planning.js';

/** How long a lease lasts without renewal: the longest delay if a worker dies. */
export const LEASE_SECONDS = 6;
/** Concurrent deliveries of one endpoint over all workers, unless the endpoint sets its own limit. */
export const ENDPOINT_CAP = 10;
/** Concurrent deliveries of one tenant over all workers, by its plan. */
export const TENANT_CAPS = { free: 10, starter: 15, business: 20, enterprise: 30 } as const satisfies Record<
  Plan,
  number
>;

/** SQL: the lane `l` is paused: its breaker is open, or its receiver has asked for a pause. */
export const CLOSED = `coalesce(l.open_until > now(), false)`;

/** Endpoints per claim. */
const LANES = 1_000;
const LOCK = 7_463_553;
/** SQL: deliveries of the tenant `t` that may be leased at a time; none while it is not served. */
export const TENANT_CAP = `case when not t.is_served then 0 else case t.plan ${Object.entries(TENANT_CAPS)
  .map(([plan, cap]) => `when '${plan}' then ${cap}`)
  .join(' ')} end end`;
/** SQL: deliveries of the lane `l` that may be leased at a time. */
export const LANE_CAP = `coalesce(l.max_concurrency, ${ENDPOINT_CAP})`;
/** Share of its limit per second that an endpoint may get at once after a pause. */
const BURST = `interval '100 milliseconds'`;

/**
 * How many deliveries a process can take. Half of its slots are kept for first attempts; slow endpoints get only a few.
 */
export interface Room {
  /** Deliveries in all. */
  total: number;
  /** How many of them may be retries. */
  retries: number;
  /** How many of them may go to slow endpoints. */
  slow: number;
}

/** Where a claim begins to look: after this endpoint. */
export interface LanePosition {
  tenantId: string;
  endpointId: string;
}

/*
 * Claims are serialized, so that caps and rates are exact with any number of workers; each takes milliseconds. They are planned once, whatever the queue looked like then, so they are written to leave only index lookups. A claim lost in a server crash is like leases that have expired.
 */
const TAKE_TURNS = `select pg_advisory_xact_lock(${LOCK}), ${setting(INDEX_ORDER)}`;
const TAKE_TURNS_WITHOUT_DISK = `${TAKE_TURNS}, ${setting({ synchronous_commit: 'off' })}`;

/** Makes the rest of a transaction, which leases, wait for others that lease at the moment. */
export const LEASING = statement(TAKE_TURNS);

/** SQL: the queue entry `q` is not leased, or its lease has expired. */
export const UNLEASED = `coalesce(q.leased_until, now()) <= now()`;

/*
 * Purpose: lease what is due, fairly. Order: in turn from tenant to tenant, in a tenant from endpoint to endpoint, in an
 * endpoint the longest due first. Hops over webhook_queue_due_idx from endpoint to endpoint, so that the backlog of one
 * costs the others nothing. What is leased keeps its place there and is passed over, and counts against the caps: found by
 * what workers have claimed, which is noted here, so that a lease is no new entry in any index (heap-only tuple). An open
 * breaker closes its lane to all but manual attempts (webhook_queue_manual_idx); after it, one attempt at a time is let
 * through. In an ordered lane an entry waits for those of the same resource before it, and for one that is under way; all
 * wait for what was begun before the lane was an ordered one and has no row yet. A manual attempt waits for nothing
 * else. A lease that has run out is due again. What somebody else is changing at the moment is left out. What was found
 * is locked and written where it stands (`ctid`), without a look by key: a place is not used anew while the statement
 * runs.
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

/** Makes the rest of a transaction wait for its turn to claim. */
export const CLAIMING = statement(TAKE_TURNS_WITHOUT_DISK);

/**
 * Leases due deliveries under `token`, as many as there is room for beside those without rows. Returns a row per lease
 * (`tenantId`, `endpointId`, `id`, `retry`, `slow`), and one without an `id` if there are more endpoints: the next
 * claim begins after it. To be run after {@link CLAIMING}.
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
