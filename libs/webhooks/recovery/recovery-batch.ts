import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { LEASED } from '../delivery-status.js';
import { beginAgain, lockDeliveries, paceStatement } from '../delivery-moves.js';
import { deliveryId } from '../delivery-id.js';
import {
  deliverStatement,
  type Match,
  type NumberedEvent,
  passingFilters,
  type Subscription,
  wantsType,
} from '../relay/fan-out.js';
import { spanOf } from '../id-span.js';
import { moveOn } from '../leases/ordering.js';
import { eventsStatement, isAbout, type RecoveryJob } from './recovery-window.js';
import { sentToStatement } from '../leases/sending-statements.js';

/** Events per transaction. */
export const RECOVERY_BATCH = 500;

// The endpoint's deliveries of these events. There is no row if there never was a delivery, or if it is in its first
// attempt.
const KNOWN = `
  select t.id, t.status, ${LEASED} as "inFlight" from data.webhook_deliveries t
  where t.tenant_id = $1 and t.id = any($2::uuid[]) and t.id between $3 and $4`;
const ADVANCE = `
  update data.webhook_recoveries
  set status = $3, after_sequence = $4, examined = examined + $5, recovered = recovered + $6, updated_at = now(),
    finished_at = case $3 when 'running' then null else now() end
  where tenant_id = $1 and id = $2`;

/** A job and its current endpoint. Both are locked. */
interface Piece {
  tenantId: string;
  job: RecoveryJob;
  endpoint: Subscription;
}

interface Known {
  id: string;
  status: string;
  inFlight: boolean;
}

/** Recovers the deliveries of the next events of a job. */
export async function recoverBatch(transaction: Transaction, catalogue: EventCatalogue, piece: Piece): Promise<void> {
  const { tenantId, job } = piece;
  const events = await transaction.query<NumberedEvent>(
    eventsStatement(tenantId, job, job.afterSequence, RECOVERY_BATCH),
  );
  const done = await recover(transaction, catalogue, piece, events);
  const complete = done.events === events.length && events.length < RECOVERY_BATCH;
  const last = events[done.events - 1]?.sequence ?? job.afterSequence;
  const values = [tenantId, job.id, complete ? 'completed' : 'running', last, done.events, done.recovered];
  transaction.write(statement(ADVANCE, values));
}

/** Returns how many of the events are finished, and how many deliveries were moved for them. */
async function recover(
  transaction: Transaction,
  catalogue: EventCatalogue,
  piece: Piece,
  events: readonly NumberedEvent[],
): Promise<{ events: number; recovered: number }> {
  const { tenantId, job, endpoint } = piece;
  const enabled = endpoint.status === 'enabled';
  const statuses = new Set<string>(job.statuses);
  // Deliveries held for an endpoint that is not enabled stay held, recovered or not.
  if (!enabled) statuses.delete('held');
  const about = events.filter(({ type }) => isAbout(job, type));
  if (about.length === 0) return { events: events.length, recovered: 0 };
  const byDelivery = new Map(about.map((event) => [deliveryId(event.id, endpoint.id), event]));
  const ids = [...byDelivery.keys()];
  const locked = new Map((await lockDeliveries(transaction, tenantId, ids)).map((each) => [each.id, each]));
  const sending = await transaction.query<{ id: string }>(sentToStatement(tenantId, endpoint.id));
  const begun = new Set(sending.map(({ id }) => id));
  const known = new Map(
    (await transaction.query<Known>(statement(KNOWN, [tenantId, ids, ...spanOf(ids)]))).map((each) => [each.id, each]),
  );
  // Another transaction has locked it; the next step sees the result. All later events wait, so none is omitted.
  const busy = ids.find(
    (id) => !locked.has(id) && !known.get(id)?.inFlight && statuses.has(known.get(id)?.status ?? ''),
  );
  const done = busy ? ids.slice(0, ids.indexOf(busy)) : ids;

  const again = done.filter((id) => statuses.has(locked.get(id)?.status ?? ''));
  const missing = statuses.has('never_attempted') ? done.filter((id) => !known.has(id) && !begun.has(id)) : [];
  const missed = await neverAttempted(
    transaction,
    catalogue,
    piece,
    missing.map((id) => byDelivery.get(id)!),
  );
  const beginning = again.map((id) => ({ id, enabled }));
  for (const each of beginAgain(tenantId, beginning, 'recover')) transaction.write(each);
  if (missed.length > 0) transaction.write(deliverStatement(catalogue, missed, 'recover'));
  const moved = new Set([...again, ...missed.map(({ event }) => deliveryId(event.id, endpoint.id))]);
  if (enabled && moved.size > 0) {
    const inOrder = done.filter((id) => moved.has(id));
    transaction.write(paceStatement(tenantId, inOrder, job.createdAt, job.recovered));
    const subjectOf = (id: string) => byDelivery.get(id)!.subjectId;
    const resources = inOrder.map((id) => ({ tenantId, endpointId: endpoint.id, subjectId: subjectOf(id) }));
    if (endpoint.ordering === 'per_resource') transaction.write(moveOn(resources));
  }
  return { events: busy ? events.indexOf(byDelivery.get(busy)!) : events.length, recovered: moved.size };
}

/**
 * Events without a delivery that match the endpoint's current subscription: older than the endpoint, or than its
 * subscription.
 */
async function neverAttempted(
  transaction: Transaction,
  catalogue: EventCatalogue,
  { tenantId, endpoint }: Piece,
  events: readonly NumberedEvent[],
): Promise<readonly Match[]> {
  const candidates = events
    .filter(({ type }) => wantsType(endpoint, type))
    .map((event) => ({ tenantId, event, endpoint }));
  return passingFilters(transaction, catalogue, candidates);
}
