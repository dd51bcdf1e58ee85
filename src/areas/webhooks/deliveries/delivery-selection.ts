import { statement, type Statement } from '#libs/database/statement.js';
import { type DeliveryStatus, LEASED, type StoredStatus, UNDELIVERED } from '#libs/webhooks/delivery-status.js';

/** Selects deliveries of the tenant; all given conditions must hold. */
export interface DeliverySelection {
  ids?: readonly string[] | undefined;
  statuses?: readonly DeliveryStatus[] | undefined;
  eventType?: string | undefined;
  /** All of them name the endpoint: two that differ select nothing. */
  endpointIds?: readonly string[] | undefined;
  subjectId?: string | undefined;
  /** Made at this time or later. */
  from?: string | undefined;
  /** Made before this time. */
  to?: string | undefined;
}

const WHERE = `
  from data.webhook_deliveries t
  where t.tenant_id = $1 and t.status = any($2::text[]) and not ${LEASED}
    and ($3::uuid[] is null or t.id = any($3)) and ($4::text is null or t.event_type = $4)
    and t.endpoint_id = all($5::uuid[]) and ($6::text is null or t.subject_id = $6)
    and ($7::timestamptz is null or t.created_at >= $7) and ($8::timestamptz is null or t.created_at < $8)`;
const OPEN_OR_STOPPED = ` and ${UNDELIVERED.replaceAll(':tenant', '$1')}`;
// Deliveries to a deleted endpoint cannot restart; they must not block those that can.
const REACHABLE = ` and exists (select 1 from data.webhook_endpoints p
    where p.tenant_id = t.tenant_id and p.id = t.endpoint_id and p.deleted_at is null)`;
const WAITING = ` and exists (select 1 from data.webhook_queue q
    where q.tenant_id = t.tenant_id and q.delivery_id = t.id and q.lease_token is null and q.due_at > now())`;
// By the number of the event, because relays may record equal or reversed timestamps.
const CHOOSE = (where: string) => `select t.id, t.endpoint_id as "endpointId"${where} order by t.sequence limit $9`;
const COUNT = (where: string) => `select count(*) as matched${where}`;

/**
 * Deliveries of a selection on which `from` are the statuses on record, and which are not in flight: the number of
 * them, and the oldest `limit`, with their endpoints. With `waiting` only those whose next attempt is still to come,
 * with `reachable` only those whose endpoint has not been deleted.
 */
export function selectionStatements(
  tenantId: string,
  selection: DeliverySelection,
  from: readonly StoredStatus[],
  { limit, waiting, reachable }: { limit: number; waiting: boolean; reachable: boolean },
): { count: Statement; choose: Statement } {
  const { ids, statuses, eventType, endpointIds = [], subjectId, from: since, to } = selection;
  // A delivery that is not in flight has its stored status.
  const stored = statuses ? from.filter((each) => statuses.includes(each)) : from;
  const undelivered = stored.includes('delivered') ? '' : OPEN_OR_STOPPED;
  const where = WHERE + undelivered + (waiting ? WAITING : '') + (reachable ? REACHABLE : '');
  const values = [tenantId, stored, ids, eventType, endpointIds, subjectId, since, to].map((each) => each ?? null);
  return {
    count: statement(COUNT(where), values),
    choose: statement(CHOOSE(where), [...values, limit]),
  };
}
