import { statement, type Statement } from '#libs/database/statement.js';
import { matches } from '#libs/outbox/event-catalogue.js';
import { firstIdOf } from '../id-span.js';

/** What a recovery can cover: statuses of deliveries, and events without a delivery for the endpoint. */
export const RECOVERABLE = ['held', 'exhausted', 'skipped', 'retrying', 'delivered', 'never_attempted'] as const;
export type Recoverable = (typeof RECOVERABLE)[number];

/** Which events a recovery covers. */
export interface RecoveryScope {
  since: string;
  until: string;
  /** Type patterns; null for all types. */
  eventTypes: readonly string[] | null;
}

/** Numbers of deliveries, and of events without one, by what a recovery can cover. */
export type StatusCounts = Record<Recoverable, number>;

/** A job as stored. */
export interface RecoveryJob extends RecoveryScope {
  id: string;
  endpointId: string;
  statuses: Recoverable[];
  status: 'counting' | 'running';
  dryRun: boolean;
  counted: number;
  byStatus: StatusCounts;
  recovered: number;
  /** The last counted event or, after the count, the last processed one. */
  afterSequence: number;
  createdAt: string;
}

/** Longer than any transaction. An event's `occurredAt` and the time in its id differ by less. */
const SLACK_MS = 3_600_000;

// In sequence order, and only for the days that the recovery covers.
const EVENTS = `
  select e.id, e.type, e.schema_version as "schemaVersion", e.subject_type as "subjectType", e.subject_id as "subjectId",
    n.sequence
  from data.event_numbers n cross join lateral (
    select * from data.events e
    where e.tenant_id = n.tenant_id and e.id = n.event_id and e.id >= $3 and e.id < $4
      and e.occurred_at >= $5 and e.occurred_at < $6 offset 0) e
  where n.tenant_id = $1 and n.sequence > $2 and n.event_id >= $3 and n.event_id < $4
  order by n.sequence limit $7`;

/** The next events in the time window of a recovery, one `NumberedEvent` each, in sequence order. */
export function eventsStatement(
  tenantId: string,
  { since, until }: RecoveryScope,
  afterSequence: number,
  limit: number,
): Statement {
  const window = [firstIdSince(since), firstIdAfter(until), since, until];
  return statement(EVENTS, [tenantId, afterSequence, ...window, limit]);
}

/** Whether a recovery covers events of a type. */
export function isAbout({ eventTypes }: RecoveryScope, type: string): boolean {
  return eventTypes?.some((pattern) => matches(pattern, type)) ?? true;
}

/** The lowest possible id of an event that occurred at this time or later. */
function firstIdSince(instant: string): string {
  return firstIdOf(Date.parse(instant) - SLACK_MS);
}

/** An id above those of all events that occurred before this time. */
function firstIdAfter(instant: string): string {
  return firstIdOf(Date.parse(instant) + SLACK_MS);
}
