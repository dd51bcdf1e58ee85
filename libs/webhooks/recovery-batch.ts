import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { type EventCatalogue, matches } from '#libs/outbox/event-catalogue.js';
import { beginAgain, lockDeliveries, paceStatement } from './delivery-moves.js';
import { deliveryId } from './delivery-id.js';
import {
  deliverStatement,
  type Match,
  type NumberedEvent,
  passingFilters,
  type Subscription,
  SUBSCRIPTION,
  wantsType,
} from './fan-out.js';
import { spanOf } from './id-span.js';
import { moveOn } from './ordering.js';
import { firstIdAfter, firstIdSince, type Recoverable } from './recovery-window.js';

/** Events that one transaction looks at. */
export const RECOVERY_BATCH = 500;

const LOCK_JOB = `
  select id, endpoint_id as "endpointId", since, until, statuses, event_types as "eventTypes", recovered,
    after_sequence as "afterSequence", created_at as "createdAt"
  from data.webhook_recoveries where tenant_id = $1 and id = $2 and status = 'running' for no key update skip locked`;
// Whoever pauses, enables or deletes the endpoint waits for this.
const LOCK_ENDPOINT = `select ${SUBSCRIPTION}, deleted_at is not null as deleted from data.webhook_endpoints
  where tenant_id = $1 and id = $2 for share`;
// In events_sequence_idx, and only of the days that the recovery is about.
const EVENTS = `
  select id, type, schema_version as "schemaVersion", subject_type as "subjectType", subject_id as "subjectId", sequence
  from data.events
  where tenant_id = $1 and sequence > $2 and id >= $3 and id < $4 and occurred_at >= $5 and occurred_at < $6
  order by sequence limit ${RECOVERY_BATCH}`;
const KNOWN = `select id from data.webhook_deliveries where tenant_id = $1 and id = any($2::uuid[]) and id between $3 and $4`;
const ADVANCE = `
  update data.webhook_recoveries
  set status = $3, after_sequence = $4, examined = examined + $5, recovered = recovered + $6, updated_at = now(),
    finished_at = case $3 when 'running' then null else now() end
  where tenant_id = $1 and id = $2`;

interface Job {
  id: string;
  endpointId: string;
  since: string;
  until: string;
  statuses: Recoverable[];
  eventTypes: string[] | null;
  recovered: number;
  afterSequence: number;
  createdAt: string;
}

/**
 * Recovers what the next events of a job call for, in the order of their sequence; moves of deliveries, counts and the
 * place that was reached are one transaction, so each delivery is recovered once whatever dies.
 *
 * Answers whether there is more to do. False too when another worker is at it.
 */
export async function recoverBatch(
  transaction: Transaction,
  catalogue: EventCatalogue,
  tenantId: string,
  jobId: string,
): Promise<boolean> {
  const [job] = await transaction.query<Job>(statement(LOCK_JOB, [tenantId, jobId]));
  if (!job) return false;
  const [endpoint] = await transaction.query<Subscription & { deleted: boolean }>(
    statement(LOCK_ENDPOINT, [tenantId, job.endpointId]),
  );
  const advance = (status: string, after: number, examined: number, recovered: number) =>
    transaction.write(statement(ADVANCE, [tenantId, jobId, status, after, examined, recovered]));
  if (!endpoint || endpoint.deleted) {
    advance('cancelled', job.afterSequence, 0, 0);
    return false;
  }
  const events = await nextEvents(transaction, tenantId, job);
  const wanted = events.filter(({ type }) => job.eventTypes?.some((pattern) => matches(pattern, type)) ?? true);
  const recovered = await recover(transaction, catalogue, { tenantId, job, endpoint, events: wanted });
  const more = events.length === RECOVERY_BATCH;
  advance(more ? 'running' : 'completed', events.at(-1)?.sequence ?? job.afterSequence, events.length, recovered);
  return more;
}

function nextEvents(transaction: Transaction, tenantId: string, job: Job): Promise<NumberedEvent[]> {
  const { since, until } = job;
  const window = [firstIdSince(since), firstIdAfter(until), since, until];
  return transaction.query<NumberedEvent>(statement(EVENTS, [tenantId, job.afterSequence, ...window]));
}

interface Piece {
  tenantId: string;
  job: Job;
  endpoint: Subscription;
  events: NumberedEvent[];
}

async function recover(transaction: Transaction, catalogue: EventCatalogue, piece: Piece): Promise<number> {
  const { tenantId, job, endpoint, events } = piece;
  if (events.length === 0) return 0;
  const enabled = endpoint.status === 'enabled';
  const byDelivery = new Map(events.map((event) => [deliveryId(event.id, endpoint.id), event]));
  const ids = [...byDelivery.keys()];
  const statuses = new Set<string>(job.statuses);
  // What is held for an endpoint that takes nothing stays so, whether it is recovered or not.
  if (!enabled) statuses.delete('held');
  const again = (await lockDeliveries(transaction, tenantId, ids)).filter(({ status }) => statuses.has(status));
  const missed = statuses.has('never_attempted') ? await neverAttempted(transaction, catalogue, piece, ids) : [];
  for (const each of beginAgain(
    tenantId,
    again.map(({ id }) => ({ id, enabled })),
    'recover',
  ))
    transaction.write(each);
  if (missed.length > 0) transaction.write(deliverStatement(catalogue, tenantId, missed, 'recover'));
  const moved = new Set([
    ...again.map(({ id }) => id),
    ...missed.map(({ event }) => deliveryId(event.id, endpoint.id)),
  ]);
  if (enabled && moved.size > 0) {
    const inOrder = ids.filter((id) => moved.has(id));
    transaction.write(paceStatement(tenantId, inOrder, job.createdAt, job.recovered));
    const resources = inOrder.map((id) => ({ endpointId: endpoint.id, subjectId: byDelivery.get(id)!.subjectId }));
    if (endpoint.ordering === 'per_resource') transaction.write(moveOn(tenantId, resources));
  }
  return moved.size;
}

/** Events that the endpoint wants as it is now and has no delivery of: made before it was, or before it wanted them. */
async function neverAttempted(
  transaction: Transaction,
  catalogue: EventCatalogue,
  { tenantId, endpoint, events }: Piece,
  ids: readonly string[],
): Promise<readonly Match[]> {
  const rows = await transaction.query<{ id: string }>(statement(KNOWN, [tenantId, ids, ...spanOf(ids)]));
  const known = new Set(rows.map(({ id }) => id));
  const candidates = events
    .filter(({ id, type }) => wantsType(endpoint, type) && !known.has(deliveryId(id, endpoint.id)))
    .map((event) => ({ event, endpoint }));
  return passingFilters(transaction, catalogue, tenantId, candidates);
}
