import { statement, type Statement } from '#libs/database/statement.js';
import { isEntry } from './lease-owner.js';

/*
 * In a lane that is ordered per resource, an entry waits for those of the same resource before it (the claim sees to
 * that). So that waiting entries cost nothing, they are due no earlier than the first one; and when that is done with,
 * the next one is due at once. An entry that slips through is late by the pause of the one before it at most.
 */
const MOVE_ON = `
  with resources as (
    select distinct r.endpoint_id, r.subject_id from unnest($2::uuid[], $3::text[]) as r (endpoint_id, subject_id)),
  heads as (
    select head.* from resources r, lateral (
      select q.endpoint_id, q.subject_id, q.sequence,
        case when q.lease_token is not null then q.leased_until when d.attempts > 0 then q.due_at
          else least(q.due_at, now()) end as due_at
      from data.webhook_queue q join data.webhook_deliveries d on d.tenant_id = q.tenant_id and d.id = q.delivery_id
      where q.tenant_id = $1 and q.endpoint_id = r.endpoint_id and q.subject_id = r.subject_id and not q.direct
      order by q.sequence limit 1) head)
  update data.webhook_queue q
  set due_at = case q.sequence when heads.sequence then heads.due_at else greatest(q.due_at, heads.due_at) end
  from heads
  where q.tenant_id = $1 and q.endpoint_id = heads.endpoint_id and q.subject_id = heads.subject_id
    and not q.direct and q.lease_token is null
    and (q.due_at < heads.due_at or q.sequence = heads.sequence and q.due_at > heads.due_at)`;

// Found by what workers have claimed: there are few of them, whatever waits for the endpoint.
const LINE_UP = `
  update data.webhook_queue q set direct = false
  from data.webhook_claims c cross join unnest(c.delivery_ids) as id
  where c.tenant_id = $1 and ${isEntry('c.tenant_id', 'id')} and q.endpoint_id = $2 and q.direct`;

/**
 * Has what a worker sends at the moment stand in the order as well. To be committed with the change that makes the endpoint
 * an ordered one.
 */
export function lineUp(tenantId: string, endpointId: string): Statement {
  return statement(LINE_UP, [tenantId, endpointId]);
}

/** Lets the next deliveries of resources go, or wait as long as the first one does. Harmless for lanes that are not ordered. */
export function moveOn(tenantId: string, resources: readonly { endpointId: string; subjectId: string }[]): Statement {
  const endpointIds = resources.map(({ endpointId }) => endpointId);
  const subjectIds = resources.map(({ subjectId }) => subjectId);
  return statement(MOVE_ON, [tenantId, endpointIds, subjectIds]);
}
