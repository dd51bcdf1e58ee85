import { statement, type Statement } from '#libs/database/statement.js';

/**
 * Maximum number of deliveries that one statement moves, to keep a change of an endpoint short however many are
 * pending. Workers move the rest: due ones when they lease them, held ones with {@link releaseStranded}.
 */
export const BACKLOG_BATCH = 1_000;

// Leased entries are left to their worker, which checks the endpoint before each attempt. A manual attempt is made in
// any state of the endpoint.
const takeOut = (status: 'held' | 'skipped', which: string) => `
  with open as (
    select tenant_id, delivery_id from data.webhook_queue
    where tenant_id = $1 and endpoint_id = $2 and not direct and coalesce(leased_until, now()) <= now()${which}
    order by retry, due_at limit ${BACKLOG_BATCH} for no key update skip locked),
  gone as (
    delete from data.webhook_queue q using open where q.tenant_id = open.tenant_id and q.delivery_id = open.delivery_id
    returning q.tenant_id, q.delivery_id)
  update data.webhook_deliveries d set status = '${status}'
  from gone where d.tenant_id = gone.tenant_id and d.id = gone.delivery_id and d.status in ('pending', 'retrying')`;
const HOLD = takeOut('held', ` and cause <> 'manual'`);
const SKIP_OPEN = takeOut('skipped', '');
const HELD = `
  select tenant_id, id from data.webhook_deliveries
  where tenant_id = $1 and endpoint_id = $2 and stopped = 'held'
  order by sequence limit ${BACKLOG_BATCH} for no key update skip locked`;
// An existing entry is a manual attempt, after which the schedule continues.
const QUEUE = `
  insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, retry, due_at)
  select tenant_id, id, endpoint_id, subject_id, sequence, case when generation > 1 then 'replay' else 'schedule' end,
    attempts > 0, now()
  from freed where status <> 'skipped'
  on conflict (tenant_id, delivery_id) do update set resume_at = excluded.due_at`;
const FREED = `returning d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, d.generation, d.attempts, d.status`;
const OPEN_AGAIN = `case when d.attempts > 0 then 'retrying' else 'pending' end`;
const RELEASE = `
  with held as (${HELD}),
  freed as (
    update data.webhook_deliveries d set status = ${OPEN_AGAIN}
    from held where d.tenant_id = held.tenant_id and d.id = held.id ${FREED})
  ${QUEUE}`;
const SKIP_HELD = `
  with held as (${HELD})
  update data.webhook_deliveries d set status = 'skipped'
  from held where d.tenant_id = held.tenant_id and d.id = held.id`;
// Like RELEASE or SKIP_HELD, if the endpoint is enabled or deleted. Pausing it waits until this is done.
const RELEASE_STRANDED = `
  with endpoint as (
    select deleted_at from data.webhook_endpoints
    where tenant_id = $1 and id = $2 and (status = 'enabled' or deleted_at is not null) for share),
  held as (select d.tenant_id, d.id, endpoint.deleted_at is null as wanted from endpoint, lateral (${HELD}) d),
  freed as (
    update data.webhook_deliveries d set status = case when held.wanted then ${OPEN_AGAIN} else 'skipped' end
    from held where d.tenant_id = held.tenant_id and d.id = held.id ${FREED}),
  queued as (${QUEUE})
  select count(*)::integer as moved from freed`;

/** The endpoint is paused or disabled: holds its waiting deliveries. Commit together with that change. */
export function holdBacklog(tenantId: string, endpointId: string): Statement[] {
  return [statement(HOLD, [tenantId, endpointId])];
}

/** The endpoint is enabled: makes its held deliveries due at once. Commit together with that change. */
export function releaseBacklog(tenantId: string, endpointId: string): Statement[] {
  return [statement(RELEASE, [tenantId, endpointId])];
}

/** The endpoint is deleted: skips its pending deliveries. Commit together with that change. */
export function skipBacklog(tenantId: string, endpointId: string): Statement[] {
  return [SKIP_OPEN, SKIP_HELD].map((text) => statement(text, [tenantId, endpointId]));
}

/**
 * Moves deliveries that are held although their endpoint is enabled or deleted. Returns how many were `moved`, up to
 * {@link BACKLOG_BATCH}.
 */
export function releaseStranded(tenantId: string, endpointId: string): Statement {
  return statement(RELEASE_STRANDED, [tenantId, endpointId]);
}
