import { statement, type Statement } from '#libs/database/statement.js';

/**
 * Deliveries that one statement moves, so that a change of an endpoint stays short however much is open for it. Workers
 * move the rest: what is due when they take it, what is held with {@link releaseStranded}.
 */
export const BACKLOG_BATCH = 1_000;

// Rows that a worker has just leased are left to it: it looks at the endpoint before each attempt.
const HOLD = `
  with open as (
    select tenant_id, id from data.webhook_deliveries
    where tenant_id = $1 and endpoint_id = $2 and due_at is not null and status in ('pending', 'retrying')
    order by due_at limit ${BACKLOG_BATCH} for no key update skip locked)
  update data.webhook_deliveries d set status = 'held', due_at = null
  from open where d.tenant_id = open.tenant_id and d.id = open.id`;
const RELEASE = `
  with held as (
    select tenant_id, id from data.webhook_deliveries
    where tenant_id = $1 and endpoint_id = $2 and status = 'held'
    order by created_at limit ${BACKLOG_BATCH} for no key update skip locked)
  update data.webhook_deliveries d set status = 'pending', due_at = now()
  from held where d.tenant_id = held.tenant_id and d.id = held.id`;
const SKIP_OPEN = `
  with open as (
    select tenant_id, id from data.webhook_deliveries
    where tenant_id = $1 and endpoint_id = $2 and due_at is not null and status in ('pending', 'retrying')
    order by due_at limit ${BACKLOG_BATCH} for no key update skip locked)
  update data.webhook_deliveries d set status = 'skipped', due_at = null
  from open where d.tenant_id = open.tenant_id and d.id = open.id`;
const SKIP_HELD = `
  with held as (
    select tenant_id, id from data.webhook_deliveries
    where tenant_id = $1 and endpoint_id = $2 and status = 'held'
    order by created_at limit ${BACKLOG_BATCH} for no key update skip locked)
  update data.webhook_deliveries d set status = 'skipped'
  from held where d.tenant_id = held.tenant_id and d.id = held.id`;
// Like RELEASE or SKIP_HELD, if the endpoint is enabled or deleted; whoever pauses it waits until this is done.
const RELEASE_STRANDED = `
  with endpoint as (
    select deleted_at from data.webhook_endpoints
    where tenant_id = $1 and id = $2 and (status = 'enabled' or deleted_at is not null) for share),
  held as (
    select d.tenant_id, d.id, endpoint.deleted_at is null as wanted from endpoint, lateral (
      select tenant_id, id from data.webhook_deliveries
      where tenant_id = $1 and endpoint_id = $2 and status = 'held'
      order by created_at limit ${BACKLOG_BATCH} for no key update skip locked) d)
  update data.webhook_deliveries d
  set status = case when held.wanted then 'pending' else 'skipped' end, due_at = case when held.wanted then now() end
  from held where d.tenant_id = held.tenant_id and d.id = held.id`;

/** The endpoint stops taking deliveries: those that wait for it are held. To be committed with that change. */
export function holdBacklog(tenantId: string, endpointId: string): Statement[] {
  return [statement(HOLD, [tenantId, endpointId])];
}

/** The endpoint takes deliveries again: those held for it are due at once. To be committed with that change. */
export function releaseBacklog(tenantId: string, endpointId: string): Statement[] {
  return [statement(RELEASE, [tenantId, endpointId])];
}

/** The endpoint is deleted: what is open for it will not be sent. To be committed with that change. */
export function skipBacklog(tenantId: string, endpointId: string): Statement[] {
  return [SKIP_OPEN, SKIP_HELD].map((text) => statement(text, [tenantId, endpointId]));
}

/** Deliveries that are held although their endpoint is enabled or deleted; changes up to {@link BACKLOG_BATCH} of them. */
export function releaseStranded(tenantId: string, endpointId: string): Statement {
  return statement(RELEASE_STRANDED, [tenantId, endpointId]);
}
