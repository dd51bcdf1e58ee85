import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { spanOf } from './id-span.js';
import type { StoredStatus } from './delivery-status.js';

/** A delivery that is locked until the transaction ends. */
export interface LockedDelivery {
  id: string;
  eventId: string;
  endpointId: string;
  subjectId: string;
  status: StoredStatus;
  inFlight: boolean;
}

/** An endpoint that cannot be enabled, paused or deleted until the transaction ends. */
export interface LockedEndpoint {
  id: string;
  enabled: boolean;
  deleted: boolean;
  /** Whether it must be verified before anything is sent to it. */
  unverified: boolean;
  /** Whether its deliveries wait for earlier ones of the same resource. */
  ordered: boolean;
}

const LOCK_ENDPOINTS = `
  select id, status = 'enabled' and deleted_at is null as enabled, deleted_at is not null as deleted,
    status = 'disabled' and disabled_reason = 'unverified' as unverified,
    ordering = 'per_resource' as ordered
  from data.webhook_endpoints where tenant_id = $1 and id = any($2::uuid[]) order by id for share`;
// Locks the entry before the delivery, in the same order as settling an attempt. Each sees what the previous lock
// holder has written.
const LOCK_ENTRY = `select coalesce(leased_until > now(), false) as leased from data.webhook_queue
  where tenant_id = $1 and delivery_id = $2 for update`;
const COLUMNS = `d.id, d.event_id as "eventId", d.endpoint_id as "endpointId", d.subject_id as "subjectId", d.status`;
const LOCK_DELIVERY = `select ${COLUMNS} from data.webhook_deliveries d where d.tenant_id = $1 and d.id = $2 for no key update`;
// A locked entry is being leased or settled, so its delivery is skipped.
const LOCK_MANY = `
  with free as materialized (
    select delivery_id as id from data.webhook_queue
    where tenant_id = $1 and delivery_id = any($2::uuid[]) and coalesce(leased_until, now()) <= now()
    for update skip locked)
  select ${COLUMNS}, false as "inFlight" from data.webhook_deliveries d
  where d.tenant_id = $1 and d.id = any($2::uuid[]) and d.id between $3 and $4
    and (d.id in (select id from free) or not exists (
      select 1 from data.webhook_queue q where q.tenant_id = $1 and q.delivery_id = d.id))
  order by d.sequence for no key update of d skip locked`;

// If the attempt fails, the existing schedule continues. A waiting manual attempt is not added twice.
const RESEND = `
  insert into data.webhook_queue as q (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at)
  select tenant_id, id, endpoint_id, subject_id, sequence, 'manual', now()
  from data.webhook_deliveries where tenant_id = $1 and id = $2
  on conflict (tenant_id, delivery_id) do update
  set cause = 'manual', due_at = excluded.due_at, lease_token = null, leased_until = null, direct = false,
    resume_at = case q.cause when 'manual' then q.resume_at else q.due_at end`;
// The list of ids makes PostgreSQL use the key, which it may not for a join, depending on the estimated size of the
// list.
const BEGIN_AGAIN = `
  update data.webhook_deliveries d
  set status = case when r.enabled then 'pending' else 'held' end, generation = d.generation + 1, attempts = 0,
    skip_reason = null, delivered_at = null
  from unnest($2::uuid[], $3::boolean[]) as r (id, enabled)
  where d.tenant_id = $1 and d.id = any($2) and d.id = r.id and d.id between $4 and $5`;
const QUEUE = `
  insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at)
  select d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, $5, now()
  from data.webhook_deliveries d
  where d.tenant_id = $1 and d.id = any($2::uuid[]) and d.id between $3 and $4
  on conflict (tenant_id, delivery_id) do update
  set cause = excluded.cause, retry = false, due_at = excluded.due_at, resume_at = null, lease_token = null,
    leased_until = null, direct = false`;
const TAKE_OUT = `delete from data.webhook_queue where tenant_id = $1 and delivery_id = any($2::uuid[])`;
const SKIP = `
  update data.webhook_deliveries d set status = 'skipped', skip_reason = $3
  where d.tenant_id = $1 and d.id = any($2::uuid[]) and d.id between $4 and $5`;
const HURRY = `
  with waiting as (
    select delivery_id from data.webhook_queue
    where tenant_id = $1 and delivery_id = any($2::uuid[]) and lease_token is null and due_at > now()
    for update skip locked)
  update data.webhook_queue q set due_at = now() from waiting
  where q.tenant_id = $1 and q.delivery_id = waiting.delivery_id returning q.delivery_id as id`;
const PACE = `
  update data.webhook_queue q
  set retry = true, due_at = coalesce($3::timestamptz, now()) + ($4::bigint + r.n) * interval '1 millisecond'
  from unnest($2::uuid[]) with ordinality as r (id, n)
  where q.tenant_id = $1 and q.delivery_id = any($2) and q.delivery_id = r.id`;

/** Locks endpoints, before all other locks. Returns them by id, without unknown ones. */
export async function lockEndpoints(
  transaction: Transaction,
  tenantId: string,
  ids: Iterable<string>,
): Promise<Map<string, LockedEndpoint>> {
  const rows = await transaction.query<LockedEndpoint>(statement(LOCK_ENDPOINTS, [tenantId, [...new Set(ids)]]));
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks one delivery, waiting for other holders of the lock; null if it does not exist. */
export async function lockDelivery(
  transaction: Transaction,
  tenantId: string,
  id: string,
): Promise<LockedDelivery | null> {
  const lockEntry = () => transaction.query<{ leased: boolean }>(statement(LOCK_ENTRY, [tenantId, id]));
  let [entry] = await lockEntry();
  const [row] = await transaction.query<LockedDelivery>(statement(LOCK_DELIVERY, [tenantId, id]));
  // The previous lock holder may have queued the delivery, and a worker may have taken it at once.
  if (row && !entry) [entry] = await lockEntry();
  return row ? { ...row, inFlight: entry?.leased ?? false } : null;
}

/** Locks the deliveries that are neither in flight nor locked, oldest events first. */
export async function lockDeliveries(
  transaction: Transaction,
  tenantId: string,
  ids: readonly string[],
): Promise<LockedDelivery[]> {
  if (ids.length === 0) return [];
  return transaction.query<LockedDelivery>(statement(LOCK_MANY, [tenantId, ids, ...spanOf(ids)]));
}

/** One attempt now, outside the schedule. The delivery is locked and not in flight. */
export function resendStatement(tenantId: string, id: string): Statement {
  return statement(RESEND, [tenantId, id]);
}

/** Restarts deliveries with all attempts; holds them if the endpoint is not enabled. They must be locked. */
export function beginAgain(
  tenantId: string,
  deliveries: readonly { id: string; enabled: boolean }[],
  cause: 'replay' | 'recover',
): Statement[] {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(({ id }) => id);
  const sent = deliveries.filter(({ enabled }) => enabled).map(({ id }) => id);
  const held = deliveries.filter(({ enabled }) => !enabled).map(({ id }) => id);
  const enabled = deliveries.map((each) => each.enabled);
  const bounds = spanOf(ids);
  return [
    statement(BEGIN_AGAIN, [tenantId, ids, enabled, ...bounds]),
    statement(QUEUE, [tenantId, sent, ...bounds, cause]),
    statement(TAKE_OUT, [tenantId, held]),
  ];
}

/** Skips deliveries. They must be locked. */
export function skipStatements(tenantId: string, ids: readonly string[], reason: string): Statement[] {
  if (ids.length === 0) return [];
  return [statement(SKIP, [tenantId, ids, reason, ...spanOf(ids)]), statement(TAKE_OUT, [tenantId, ids])];
}

/** Makes deliveries that wait for their next attempt due now; returns the `id` of each. */
export function hurryStatement(tenantId: string, ids: readonly string[]): Statement {
  return statement(HURRY, [tenantId, ids]);
}

/**
 * Orders entries that were queued in bulk: one per millisecond, counted by `place` from `start` (now if null), with
 * lower priority than first attempts, because a backlog must not delay new events.
 */
export function paceStatement(
  tenantId: string,
  ids: readonly string[],
  start: string | null,
  place: number,
): Statement {
  return statement(PACE, [tenantId, ids, start, place]);
}
