import { statement, type Statement } from '#libs/database/statement.js';
import { deliveryId } from '../delivery-id.js';
import { type Subscription, wantsType } from '../relay/fan-out.js';
import { spanOf } from '../id-span.js';
import {
  eventsStatement,
  isAbout,
  RECOVERABLE,
  type Recoverable,
  type RecoveryScope,
  type StatusCounts,
} from './recovery-window.js';
import { sentToStatement } from '../leases/sending-statements.js';

/** Events per step of a count, which takes some tens of milliseconds. */
export const COUNT_BATCH = 5_000;

/** Progress of a count. */
export interface Count {
  byStatus: StatusCounts;
  /** Number of events counted. */
  counted: number;
  /** Sequence number of the last one. */
  afterSequence: number;
  /** Whether more events remain. */
  more: boolean;
}

/** A count that has not started. */
export const UNCOUNTED: Count = {
  byStatus: Object.fromEntries(RECOVERABLE.map((each) => [each, 0])) as StatusCounts,
  counted: 0,
  afterSequence: 0,
  more: true,
};

type Query = <R extends object>(query: Statement) => Promise<R[]>;

const STATUSES = `select id, status from data.webhook_deliveries
  where tenant_id = $1 and id = any($2::uuid[]) and id between $3 and $4`;

/** Continues a count by one step. Filters are applied only by the recovery itself, event by event. */
export async function countOn(
  query: Query,
  tenantId: string,
  endpoint: Pick<Subscription, 'id' | 'eventTypes'>,
  scope: RecoveryScope,
  before: Count,
): Promise<Count> {
  const events = await query<{ id: string; type: string; sequence: number }>(
    eventsStatement(tenantId, scope, before.afterSequence, COUNT_BATCH),
  );
  const byDelivery = new Map<string, string>();
  for (const { id, type } of events) if (isAbout(scope, type)) byDelivery.set(deliveryId(id, endpoint.id), type);
  const byStatus = { ...before.byStatus };
  if (byDelivery.size > 0) {
    const ids = [...byDelivery.keys()];
    for (const { id } of await query<{ id: string }>(sentToStatement(tenantId, endpoint.id))) byDelivery.delete(id);
    const deliveries = await query<{ id: string; status: string }>(
      statement(STATUSES, [tenantId, ids, ...spanOf(ids)]),
    );
    for (const { id, status } of deliveries) {
      byDelivery.delete(id);
      if (status in byStatus) byStatus[status as Recoverable]++;
    }
    for (const type of byDelivery.values()) if (wantsType(endpoint, type)) byStatus.never_attempted++;
  }
  return {
    byStatus,
    counted: before.counted + events.length,
    afterSequence: events.at(-1)?.sequence ?? before.afterSequence,
    more: events.length === COUNT_BATCH,
  };
}

/**
 * How many of the counted deliveries a recovery sends. Those held for an endpoint that is not enabled would only be
 * held again.
 */
export function matchedOf(byStatus: StatusCounts, statuses: readonly Recoverable[], enabled: boolean): number {
  const sent = statuses.filter((each) => each !== 'held' || enabled);
  return sent.reduce((sum, status) => sum + byStatus[status], 0);
}
