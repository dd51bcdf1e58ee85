import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Actor } from '#libs/tenancy/scope.js';
import { currentTenant, type Scope } from '#libs/tenancy/scope.js';

/** What an event is about. */
export interface Subject {
  /** Type key, e.g. `sales.deal`. */
  type: string;
  id: string;
  reference: string | null;
  version: number;
  /** API path at which the subject can be read: its own, or that of a list or record that contains it. */
  url: string;
}

/** The facts of an event, from the code that made the change. */
export interface EventFact {
  /** A new one if absent. */
  id?: string;
  type: string;
  schemaVersion: number;
  subject: Subject;
  /** The record as the API shows it. */
  data: object;
  changes: object | null;
}

/** An event as receivers get it. */
export interface EventEnvelope {
  id: string;
  type: string;
  schemaVersion: number;
  occurredAt: string;
  tenantId: string;
  /** Per tenant, without gaps, in the order in which events became visible. */
  sequence: string;
  actor: Actor;
  subject: Subject;
  requestId: string;
  data: object;
  changes: object | null;
}

// Also inserts a row that marks the event as unnumbered, because events are never updated.
const INSERT = `
  with event as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope,
      causation_id, depth, correlation_id, traceparent)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12))
  insert into data.events_pending (tenant_id, event_id) values ($1, $2)`;

/** As {@link INSERT}, with a list of each value. */
const INSERT_TOGETHER = `
  with event as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope,
      causation_id, depth, correlation_id, traceparent)
    select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::timestamptz[], $6::text[], $7::text[],
      $8::text[], $9::uuid[], $10::integer[], $11::text[], $12::text[]))
  insert into data.events_pending (tenant_id, event_id) select * from unnest($1::uuid[], $2::uuid[])`;

const INSERT_MANY = `
  with added as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope,
      causation_id, depth, traceparent)
    select $1, e.id, $3, $4, $5, e.subject_type, e.subject_id, e.envelope, $9, $10, $11
    from unnest($2::uuid[], $6::text[], $7::text[], $8::text[]) as e(id, subject_type, subject_id, envelope))
  insert into data.events_pending (tenant_id, event_id) select $1, unnest($2::uuid[])`;

/**
 * The statement that adds an event to the outbox, to be committed with its change.
 *
 * The text is stored as it will be sent, except for `sequence`, which only the relay knows: {@link wireBody} adds it.
 */
export function eventStatement(scope: Scope, fact: EventFact, occurredAt: string): Statement {
  const envelope = envelopeOf(scope, fact, occurredAt);
  const { tenantId } = envelope;
  const inserting = statement(INSERT, [
    tenantId,
    envelope.id,
    fact.type,
    fact.schemaVersion,
    occurredAt,
    fact.subject.type,
    fact.subject.id,
    JSON.stringify(envelope),
    scope.causationId,
    scope.depth,
    scope.correlationId,
    scope.traceparent,
  ]);
  return { ...inserting, many: INSERT_TOGETHER };
}

/** Like {@link eventStatement}, for many events of one type. */
export function eventsStatement(
  scope: Scope,
  { type, schemaVersion }: Pick<EventFact, 'type' | 'schemaVersion'>,
  facts: readonly Pick<EventFact, 'subject' | 'data'>[],
  occurredAt: string,
): Statement {
  const envelopes = facts.map((fact) => envelopeOf(scope, { ...fact, type, schemaVersion, changes: null }, occurredAt));
  return statement(INSERT_MANY, [
    currentTenant().id,
    envelopes.map(({ id }) => id),
    type,
    schemaVersion,
    occurredAt,
    envelopes.map(({ subject }) => subject.type),
    envelopes.map(({ subject }) => subject.id),
    envelopes.map((envelope) => JSON.stringify(envelope)),
    scope.causationId,
    scope.depth,
    scope.traceparent,
  ]);
}

function envelopeOf(scope: Scope, fact: EventFact, occurredAt: string): Omit<EventEnvelope, 'sequence'> {
  return {
    id: fact.id ?? uuidv7(),
    type: fact.type,
    schemaVersion: fact.schemaVersion,
    occurredAt,
    tenantId: currentTenant().id,
    actor: scope.actor,
    subject: fact.subject,
    requestId: scope.requestId,
    data: fact.data,
    changes: fact.changes,
  };
}

/** The exact text of every delivery of an event: the stored envelope with its sequence. */
export function wireBody(envelope: string, sequence: number | string): string {
  return `{"sequence":"${sequence}",${envelope.slice(1)}`;
}

/** Like {@link wireBody}, as UTF-8. */
export function wireBytes(envelope: string, sequence: number | string): Buffer {
  return Buffer.from(wireBody(envelope, sequence));
}
