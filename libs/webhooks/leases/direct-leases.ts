import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { LEASE_SECONDS, LEASING } from './claim.js';
import { wireBytes } from '#libs/outbox/event.js';
import { deliveryColumns, HEAD_DUE_AT, MADE, type Match } from '../relay/fan-out.js';
import { noteOf, sendingColumns, sendingOf, workerOf } from './lease-owner.js';
import type { TakenDelivery } from './leased-delivery.js';
import { openOf } from '../lanes/open-lanes.js';
import { BY_HASH } from './planning.js';
import type { Sending } from './sending-journal.js';

/** Limits for deliveries that a process can send directly. */
export interface DirectRoom {
  /** Token of the leases. */
  token: string;
  /** Maximum number of deliveries. */
  most: number;
}

/** A match with the envelope of its event, and the place of the event in a trace. */
export type ReadMatch = Match & { event: Match['event'] & { envelope: string; traceparent: string | null } };

/*
 * Purpose: create deliveries like `deliverStatement`, and lease those that a claim of this worker would get next
 * anyway, within the caps of endpoint and tenant; in an ordered lane only the first of a resource. The others wait in
 * the queue. Leases are recorded like those of a claim. They are in no index except the key, unless others may have to
 * wait for them.
 */
const DELIVER_LEASED = `
  with ${MADE},
  headed as materialized (select d.*, ${HEAD_DUE_AT} as head_due_at from d where enabled),
  wanted as (select distinct tenant_id, endpoint_id from headed),
  ${openOf(sendingOf(16))},
  chosen as (
    select tenant_id, id from (
      select *, row_number() over (partition by tenant_id order by lane_turn, sequence) as tenant_turn from (
        select d.tenant_id, d.id, d.sequence, open.room, open.tenant_room,
          row_number() over (partition by d.tenant_id, d.endpoint_id order by d.sequence) as lane_turn
        from headed d join open using (tenant_id, endpoint_id) where d.head_due_at is null and coalesce(d.turn, 1) = 1) t
      where lane_turn <= room) t
    where tenant_turn <= tenant_room order by tenant_turn limit $13),
  queued as (
    insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at, direct,
      lease_token, leased_until)
    select d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, 'schedule', greatest(now(), d.head_due_at),
      chosen.id is not null and d.turn is null, case when chosen.id is not null then $14::uuid end,
      case when chosen.id is not null then now() + interval '${LEASE_SECONDS} seconds' end
    from headed d join made using (tenant_id, id) left join chosen using (tenant_id, id)
    returning tenant_id, endpoint_id, delivery_id, lease_token),
  claimed as materialized (select tenant_id, endpoint_id, delivery_id from queued where lease_token is not null),
  noted as (${noteOf('claimed', '$15')})
  select delivery_id as id, open.revision, open.troubled from claimed join open using (tenant_id, endpoint_id)`;

/**
 * Creates missing deliveries, and leases as many as can be sent at once. Returns the leased ones.
 * @param sending deliveries of their tenants in progress that have no rows yet
 */
export async function deliverDirectly(
  transaction: Transaction,
  events: EventCatalogue,
  found: readonly ReadMatch[],
  { token, most }: DirectRoom,
  sending: readonly Sending[],
): Promise<TakenDelivery[]> {
  for (const each of [LEASING, BY_HASH]) transaction.write(each);
  const columns = deliveryColumns(events, found);
  const values = [...columns, most, token, workerOf(token), ...sendingColumns(sending)];
  const leased = await transaction.query<LeasedRow>(statement(DELIVER_LEASED, values));
  const [, ids, , , , versions] = columns as [unknown, string[], unknown, unknown, unknown, number[]];
  const places = new Map(ids.map((id, place) => [id, place]));
  return leased.map(({ id, revision, troubled }) => {
    const place = places.get(id)!;
    return takenOf(found[place]!, { id, token, revision, troubled, schemaVersion: versions[place]!, unrecorded: null });
  });
}

/** A match as a directly leased delivery. */
export function takenOf(
  { tenantId, event, endpoint }: ReadMatch,
  more: Pick<TakenDelivery, 'id' | 'token' | 'revision' | 'troubled' | 'schemaVersion' | 'unrecorded'>,
): TakenDelivery {
  return {
    tenantId,
    id: more.id,
    endpointId: endpoint.id,
    token: more.token,
    revision: more.revision,
    direct: true,
    retry: false,
    slow: false,
    troubled: more.troubled,
    cause: 'schedule',
    attempts: 0,
    attemptCount: 0,
    generation: 1,
    subjectId: event.subjectId,
    eventId: event.id,
    eventType: event.type,
    storedVersion: event.schemaVersion,
    schemaVersion: more.schemaVersion,
    payloadMode: endpoint.payloadMode,
    sequence: String(event.sequence),
    whole: wireBytes(event.envelope, event.sequence),
    traceparent: event.traceparent,
    unrecorded: more.unrecorded,
  };
}

interface LeasedRow {
  id: string;
  revision: number;
  troubled: boolean;
}
