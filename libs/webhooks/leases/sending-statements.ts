import { jsonArray } from '#libs/database/json-array.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { LEASE_SECONDS } from './claim.js';
import { DELIVERY_COLUMNS } from '../relay/fan-out.js';
import { spanOf } from '../id-span.js';
import { claimsOf, keptOf, noteOf } from './lease-owner.js';
import type { TakenDelivery } from './leased-delivery.js';

/** A note of one first attempt: ids of delivery, event and endpoint, sequence, version and form. */
export type JournalEntry = [
  id: string,
  eventId: string,
  endpointId: string,
  sequence: string,
  version: number,
  mode: string,
];

/** Another worker's notes for a tenant. */
export interface OthersJournal {
  tenantId: string;
  entries: JournalEntry[];
}

const WRITE = `
  insert into data.webhook_sending (tenant_id, worker, entries, leased_until)
  select tenant_id, $3, entries, now() + interval '${LEASE_SECONDS} seconds'
  from unnest($1::uuid[], $2::json[]) as t (tenant_id, entries)
  on conflict (tenant_id, worker) do update set entries = excluded.entries, leased_until = excluded.leased_until`;
const COLUMNS = `s.tenant_id as "tenantId", s.entries`;
const OTHERS = `select ${COLUMNS} from data.webhook_sending s where s.worker <> $1 and s.leased_until > now()`;
const OTHERS_OF = `
  select ${COLUMNS} from unnest($2::uuid[]) as w (tenant_id) cross join lateral (
    select * from data.webhook_sending s
    where s.tenant_id = w.tenant_id and s.worker <> $1 and s.leased_until > now() offset 0) s`;
const RECORDED = `
  select d.id from unnest($1::uuid[], $2::uuid[]) as w (tenant_id, id) cross join lateral (
    select d.id from data.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.id = w.id and d.id between $3 and $4 offset 0) d`;

const SENT_TO = `
  select e->>0 as id from data.webhook_sending s cross join json_array_elements(s.entries) e
  where s.tenant_id = $1 and s.leased_until > now() and e->>2 = $2`;

// An endpoint that is becoming ordered waits for the lock and then orders the entry; otherwise it is already ordered.
const RECORD = `
  with d as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::integer[], $7::text[], $8::text[],
      $9::text[], $10::bigint[], $11::timestamptz[], $12::uuid[]) as d (${DELIVERY_COLUMNS}, created_at, token)),
  made as (
    insert into data.webhook_deliveries (${DELIVERY_COLUMNS}, status, created_at)
    select ${DELIVERY_COLUMNS}, 'pending', created_at from d
    on conflict (tenant_id, id) do nothing returning tenant_id, id),
  queued as (
    insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at, direct,
      lease_token, leased_until)
    select d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, 'schedule', d.created_at, l.ordering = 'none',
      d.token, now() + interval '${LEASE_SECONDS} seconds'
    from d join made using (tenant_id, id) cross join lateral (
      select ordering from data.webhook_lanes l
      where l.tenant_id = d.tenant_id and l.endpoint_id = d.endpoint_id offset 0 for share) l
    returning tenant_id, endpoint_id, delivery_id),
  claims as (${claimsOf('queued')}),
  kept as materialized (${keptOf('claims')}),
  noted as (${noteOf('queued', '$13')})
  select delivery_id as id from queued`;

/**
 * SQL: creates missing rows for the entries of the journals `lost`, due in their previous positions.
 * @param known SQL: ids to skip
 */
const makeUp = (known: string) => `
  entry as materialized (
    select s.tenant_id, (e->>0)::uuid as id, (e->>1)::uuid as event_id, (e->>2)::uuid as endpoint_id,
      (e->>3)::bigint as sequence, (e->>4)::integer as schema_version, e->>5 as payload_mode,
      s.leased_until - interval '${LEASE_SECONDS} seconds' as due_at
    from lost s cross join json_array_elements(s.entries) e where (e->>0)::uuid <> all (${known})),
  event as materialized (
    select entry.*, e.type as event_type, e.subject_type, e.subject_id from entry cross join lateral (
      select e.type, e.subject_type, e.subject_id from data.events e
      where e.tenant_id = entry.tenant_id and e.id = entry.event_id offset 0) e),
  made as (
    insert into data.webhook_deliveries (${DELIVERY_COLUMNS}, status, created_at)
    select ${DELIVERY_COLUMNS}, 'pending', due_at from event
    on conflict (tenant_id, id) do nothing returning tenant_id, id)
  insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at)
  select event.tenant_id, event.id, event.endpoint_id, event.subject_id, event.sequence, 'schedule', event.due_at
  from event join made using (tenant_id, id)`;

// Rows that their worker is writing at the moment are no longer expired afterwards.
const left = (which: string) => `
  with place as (
    select tenant_id, worker from data.webhook_sending where ${which} order by tenant_id, worker for update skip locked),
  lost as (
    delete from data.webhook_sending s using place where s.tenant_id = place.tenant_id and s.worker = place.worker
    returning s.*),
  ${makeUp(`'{}'::uuid[]`)}`;
const OF_DEAD = left('worker = any ($1::bigint[])');
const RUN_OUT = left('leased_until <= now() and (worker <> $1 or tenant_id <> all ($2::uuid[]))');
const ABANDONED = `
  with lost as (select * from data.webhook_sending where worker = $1 and tenant_id = any ($2::uuid[]) for update),
  ${makeUp('$3::uuid[]')}`;

/** A {@link JournalEntry} as stored in the journal. */
export function entryOf({ id, eventId, endpointId, sequence, schemaVersion, payloadMode }: TakenDelivery): string {
  // Nothing needs escaping: ids, digits and one of two words.
  return `["${id}","${eventId}","${endpointId}","${sequence}",${schemaVersion},"${payloadMode}"]`;
}

/** Replaces the notes of a worker, one text per tenant. */
export function journalStatement(tenantIds: readonly string[], texts: readonly string[], worker: number): Statement {
  return statement(WRITE, [tenantIds, jsonArray(texts), worker]);
}

/** Notes of other workers, for some tenants or all: one {@link OthersJournal} each. */
export function othersStatement(tenantIds: readonly string[] | null, worker: number): Statement {
  return tenantIds ? statement(OTHERS_OF, [worker, tenantIds]) : statement(OTHERS, [worker]);
}

/** Returns the `id` of each delivery that has a row. */
export function recordedStatement(sending: readonly { tenantId: string; id: string }[]): Statement {
  const ids = sending.map(({ id }) => id);
  return statement(RECORDED, [sending.map(({ tenantId }) => tenantId), ids, ...spanOf(ids)]);
}

/**
 * Returns the `id` of each delivery to an endpoint in its first attempt. Some may have rows by now, so run this before
 * reading rows.
 */
export function sentToStatement(tenantId: string, endpointId: string): Statement {
  return statement(SENT_TO, [tenantId, endpointId]);
}

/** Creates rows and queue entries for deliveries, leased by the worker. */
export function recordStatement(deliveries: readonly TakenDelivery[], worker: number): Statement {
  const createdAt = deliveries.map(({ unrecorded }) => unrecorded?.createdAt);
  const tokens = deliveries.map(({ token }) => token);
  return statement(RECORD, [...recordColumns(deliveries), createdAt, tokens, worker]);
}

/** Values of {@link DELIVERY_COLUMNS}. */
export function recordColumns(deliveries: readonly Omit<TakenDelivery, 'revision'>[]): unknown[][] {
  return [
    deliveries.map(({ tenantId }) => tenantId),
    deliveries.map(({ id }) => id),
    deliveries.map(({ eventId }) => eventId),
    deliveries.map(({ endpointId }) => endpointId),
    deliveries.map(({ eventType }) => eventType),
    deliveries.map(({ schemaVersion }) => schemaVersion),
    deliveries.map(({ payloadMode }) => payloadMode),
    deliveries.map(({ unrecorded }) => unrecorded?.subjectType),
    deliveries.map(({ subjectId }) => subjectId),
    deliveries.map(({ sequence }) => sequence),
  ];
}

/** Creates rows for the notes of dead workers. */
export function ofDeadStatement(workers: readonly string[]): Statement {
  return statement(OF_DEAD, [workers]);
}

/** Creates rows for stale notes: those of other workers, and those of this one for tenants that are not `busy`. */
export function runOutStatement(worker: number, busy: readonly string[]): Statement {
  return statement(RUN_OUT, [worker, busy]);
}

/** Creates rows for this worker's notes of tenants, except entries `known` to be in progress. */
export function abandonedStatement(worker: number, tenantIds: readonly string[], known: readonly string[]): Statement {
  return statement(ABANDONED, [worker, tenantIds, known]);
}
