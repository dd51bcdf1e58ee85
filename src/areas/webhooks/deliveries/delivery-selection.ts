import { statement, type Statement } from '#libs/database/statement.js';
import { type DeliveryStatus, LEASED, type StoredStatus, UNDELIVERED } from '#libs/webhooks/delivery-status.js';

/** Selects deliveries of the tenant; all given conditions apply. */
export interface DeliverySelection {
  ids?: readonly string[] | undefined;
  statuses?: readonly DeliveryStatus[] | undefined;
  eventType?: string | undefined;
  /** Each must match the endpoint, so two different ids select nothing. */
  endpointIds?: readonly string[] | undefined;
  subjectId?: string | undefined;
  /** Created at this time or later. */
  from?: string | undefined;
  /** Created before this time. */
  to?: string | undefined;
}

const WHERE = `
  from data.webhook_deliveries t
  where t.tenant_id = $1 and t.status = any($2::text[]) and not ${LEASED}
    and ($3::uuid[] is null or t.id = any($3)) and ($4::text is null or t.event_type = $4)
    and t.endpoint_id = all($5::uuid[]) and ($6::text is null or t.subject_id = $6)
    and ($7::timestamptz is null or t.created_at >= $7) and ($8::timestamptz is null or t.created_at < $8)`;
const OPEN_OR_STOPPED = ` and ${UNDELIVERED.replaceAll(':tenant', '$1')}`;
// Deliveries to a deleted endpoint cannot be restarted, and must not block the others.
const REACHABLE = ` and exists (select 1 from data.webhook_endpoints p
    where p.tenant_id = t.tenant_id and p.id = t.endpoint_id and p.deleted_at is null)`;
const WAITING = ` and exists (select 1 from data.webhook_queue q
    where q.tenant_id = t.tenant_id and q.delivery_id = t.id and q.lease_token is null and q.due_at > now())`;
// Ordered by event number, because relays may record equal or reversed timestamps.
const CHOOSE = (where: string) => `select t.id, t.endpoint_id as "endpointId"${where} order by t.sequence limit $9`;
const COUNT = (where: string) => `select count(*) as matched${where}`;

/**
 * Deliveries of a selection whose stored status is one of `from` and which are not in flight: their number, and the
 * oldest `limit` with their endpoints. `waiting` selects only those whose next attempt is still due, `reachable` only
 * those whose endpoint is not deleted.
 */
export function selectionStatements(
  tenantId: string,
  selection: DeliverySelection,
  from: readonly StoredStatus[],
  { limit, waiting, reachable }: { limit: number; waiting: boolean; reachable: boolean },
): { count: Statement; choose: Statement } {
  const { ids, statuses, eventType, endpointIds = [], subjectId, from: since, to } = selection;
  // The stored status of a delivery that is not in flight is also the visible one.
  const stored = statuses ? from.filter((each) => statuses.includes(each)) : from;
  const undelivered = stored.includes('delivered') ? '' : OPEN_OR_STOPPED;
  const where = WHERE + undelivered + (waiting ? WAITING : '') + (reachable ? REACHABLE : '');
  const values = [tenantId, stored, ids, eventType, endpointIds, subjectId, since, to].map((each) => each ?? null);
  return {
    count: statement(COUNT(where), values),
    choose: statement(CHOOSE(where), [...values, limit]),
  };
}
