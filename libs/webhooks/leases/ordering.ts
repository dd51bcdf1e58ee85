import { statement, type Statement } from '#libs/database/statement.js';
import { isEntry } from './lease-owner.js';

/** SQL: the entry `q` is due at another time than the first one, `head`, requires. */
const isMisplaced = (head: string) => `q.lease_token is null
    and (q.due_at < ${head}.due_at or q.sequence = ${head}.sequence and q.due_at > ${head}.due_at)`;

/*
 * In an ordered lane, an entry waits for earlier ones of the same resource (enforced by the claim). To make waiting
 * entries cost nothing, they are due no earlier than the first one; when that is done, the next one is due at once. An
 * entry that is missed here is late by at most the delay of the one before it.
 */
const MOVE_ON = `
  with resources as (
    select distinct r.tenant_id, r.endpoint_id, r.subject_id
    from unnest($1::uuid[], $2::uuid[], $3::text[]) as r (tenant_id, endpoint_id, subject_id)),
  heads as materialized (
    select r.*, head.sequence, case when head.lease_token is not null then head.leased_until
      when d.attempts > 0 then head.due_at else least(head.due_at, now()) end as due_at
    from resources r
      cross join lateral (select * from data.webhook_queue q
        where q.tenant_id = r.tenant_id and q.endpoint_id = r.endpoint_id and q.subject_id = r.subject_id and not q.direct
        order by q.sequence limit 1) head
      cross join lateral (select d.attempts from data.webhook_deliveries d
        where d.tenant_id = head.tenant_id and d.id = head.delivery_id offset 0) d),
  misplaced as materialized (
    select heads.*, q.delivery_id from heads cross join lateral (
      select q.delivery_id from data.webhook_queue q
      where q.tenant_id = heads.tenant_id and q.endpoint_id = heads.endpoint_id and q.subject_id = heads.subject_id
        and not q.direct and ${isMisplaced('heads')}
      order by q.sequence offset 0) q)
  update data.webhook_queue q
  set due_at = case q.sequence when head.sequence then head.due_at else greatest(q.due_at, head.due_at) end
  from misplaced head
  where ${isEntry('head.tenant_id', 'head.delivery_id')} and ${isMisplaced('head')}`;

// Found through the claims of workers, which are few, however many deliveries wait for the endpoint.
const LINE_UP = `
  update data.webhook_queue q set direct = false
  from data.webhook_claims c cross join unnest(c.delivery_ids) as id
  where c.tenant_id = $1 and ${isEntry('c.tenant_id', 'id')} and q.endpoint_id = $2 and q.direct`;

/** Includes deliveries in progress in the order. Commit together with the change that makes the endpoint ordered. */
export function lineUp(tenantId: string, endpointId: string): Statement {
  return statement(LINE_UP, [tenantId, endpointId]);
}

/**
 * Makes the next deliveries of resources due, or lets them wait as long as the first one. No effect on lanes that are
 * not ordered.
 */
export function moveOn(resources: readonly { tenantId: string; endpointId: string; subjectId: string }[]): Statement {
  const tenantIds = resources.map(({ tenantId }) => tenantId);
  const endpointIds = resources.map(({ endpointId }) => endpointId);
  const subjectIds = resources.map(({ subjectId }) => subjectId);
  return statement(MOVE_ON, [tenantIds, endpointIds, subjectIds]);
}
