import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { EventEnvelope } from '#libs/outbox/event.js';
import { type EventCatalogue, matches } from '#libs/outbox/event-catalogue.js';
import type { PayloadMode } from '#libs/outbox/event-body.js';
import { deliveryId } from '../delivery-id.js';
import { spanOf } from '../id-span.js';
import { matchesFilter, type PayloadFilter } from './payload-filter.js';

/** Which events an endpoint gets, and in which form. */
export interface Subscription {
  id: string;
  eventTypes: string[];
  status: 'enabled' | 'paused' | 'disabled';
  filter: PayloadFilter | null;
  payloadMode: PayloadMode;
  /** By event type; missing types are sent in version 1. */
  schemaVersions: Record<string, number>;
  ordering: 'none' | 'per_resource';
}

/** Columns of `data.webhook_endpoints` for a {@link Subscription}. */
export const SUBSCRIPTION = `id, event_types as "eventTypes", status, filter, payload_mode as "payloadMode",
  schema_versions as "schemaVersions", ordering`;

/** An event with its position in the sequence. */
export interface NumberedEvent {
  id: string;
  type: string;
  /** Schema version of the stored envelope. */
  schemaVersion: number;
  subjectType: string;
  subjectId: string;
  sequence: number;
}

/** An event and an endpoint that gets it. */
export interface Match {
  tenantId: string;
  event: NumberedEvent;
  endpoint: Subscription;
}

/** Whether an endpoint subscribes to a type, regardless of its filter. */
export function wantsType({ eventTypes }: Pick<Subscription, 'eventTypes'>, type: string): boolean {
  return eventTypes.some((pattern) => matches(pattern, type));
}

const ENVELOPES = `select e.id, e.envelope
  from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, id) cross join lateral (
    select * from data.events e where e.tenant_id = w.tenant_id and e.id = w.id and e.id between $3 and $4 offset 0) e`;

/**
 * The matches that pass the filters of their endpoints. Filters see the record in the endpoint's version. A record that
 * cannot be converted to that version passes, because no event may be lost. A record is parsed only if a filter needs
 * it, and only once.
 */
export async function passingFilters<M extends Match>(
  transaction: Transaction,
  events: EventCatalogue,
  wanted: readonly M[],
): Promise<readonly M[]> {
  const filtered = wanted.filter(({ endpoint }) => endpoint.filter !== null);
  if (filtered.length === 0) return wanted;
  const tenants = new Map(filtered.map(({ tenantId, event }) => [event.id, tenantId]));
  const ids = [...tenants.keys()];
  const rows = await transaction.query<{ id: string; envelope: string }>(
    statement(ENVELOPES, [[...tenants.values()], ids, ...spanOf(ids)]),
  );
  const records = new Map(rows.map(({ id, envelope }) => [id, (JSON.parse(envelope) as EventEnvelope).data]));
  return wanted.filter(({ event, endpoint }) => {
    if (endpoint.filter === null) return true;
    const { id, type, schemaVersion } = event;
    try {
      const record = records.get(id) as Record<string, unknown>;
      return matchesFilter(endpoint.filter, events.render(type, schemaVersion, versionOf(endpoint, type), record));
    } catch {
      return true;
    }
  });
}

/** Schema version in which an endpoint gets events of a type. */
export function versionOf({ schemaVersions }: Subscription, type: string): number {
  return schemaVersions[type] ?? 1;
}

/** Columns that define a delivery. */
export const DELIVERY_COLUMNS = `tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode, subject_type,
  subject_id, sequence`;

/**
 * SQL: `d`, the deliveries of {@link deliveryColumns}, and `made`, the newly inserted ones: to be sent, or held while
 * their endpoint is not enabled.
 */
export const MADE = `
  d as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::integer[], $7::text[], $8::text[],
      $9::text[], $10::bigint[], $11::boolean[], $12::integer[])
      as d (${DELIVERY_COLUMNS}, enabled, turn)),
  made as (
    insert into data.webhook_deliveries (${DELIVERY_COLUMNS}, status, created_at)
    select ${DELIVERY_COLUMNS}, case when enabled then 'pending' else 'held' end, now()
    from d on conflict (tenant_id, id) do nothing returning tenant_id, id)`;

/**
 * SQL: when the first entry of the resource of the delivery `d` is due or its lease ends, in an ordered lane; null if
 * there is none. The lock serializes this with removing that entry, because a delivery must not inherit the time of a
 * removed entry.
 */
export const HEAD_DUE_AT = `case when d.turn is not null then (
      select greatest(q.due_at, q.leased_until) from data.webhook_queue q
      where q.tenant_id = d.tenant_id and q.endpoint_id = d.endpoint_id and q.subject_id = d.subject_id
        and not q.direct and q.sequence < d.sequence
      order by q.sequence limit 1 for key share) end`;

const DELIVER = `
  with ${MADE}
  insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at)
  select d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, $13, greatest(now(), ${HEAD_DUE_AT})
  from d join made using (tenant_id, id) where d.enabled`;

/** Inserts the deliveries that do not exist yet: due at once, or held while the endpoint is not enabled. */
export function deliverStatement(
  events: EventCatalogue,
  found: readonly Match[],
  cause: 'schedule' | 'recover',
): Statement {
  return statement(DELIVER, [...deliveryColumns(events, found), cause]);
}

/** The first twelve values of a statement with {@link MADE}. @param found ordered by tenant and event */
export function deliveryColumns(events: EventCatalogue, found: readonly Match[]): unknown[][] {
  const column = <T>(value: (match: Match) => T) => found.map(value);
  const turns = new Map<string, number>();
  /** Position among the deliveries of the same resource in an ordered lane, from 1; null if order does not matter. */
  const turn = ({ event, endpoint }: Match): number | null => {
    if (endpoint.ordering === 'none') return null;
    const resource = `${endpoint.id} ${event.subjectId}`;
    turns.set(resource, (turns.get(resource) ?? 0) + 1);
    return turns.get(resource)!;
  };
  return [
    column(({ tenantId }) => tenantId),
    column(({ event, endpoint }) => deliveryId(event.id, endpoint.id)),
    column(({ event }) => event.id),
    column(({ endpoint }) => endpoint.id),
    column(({ event }) => event.type),
    column(({ event, endpoint }) =>
      events.versionFor(event.type, event.schemaVersion, versionOf(endpoint, event.type)),
    ),
    column(({ endpoint }) => endpoint.payloadMode),
    column(({ event }) => event.subjectType),
    column(({ event }) => event.subjectId),
    column(({ event }) => event.sequence),
    column(({ endpoint }) => endpoint.status === 'enabled'),
    column(turn),
  ];
}
