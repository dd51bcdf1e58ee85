import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { CLOSED, LANE_CAP, LEASE_SECONDS, LEASING, TENANT_CAP, UNLEASED } from './claim.js';
import { deliveryColumns, HEAD_DUE_AT, MADE, type Match } from './fan-out.js';
import { TROUBLED } from './lane-health.repository.js';
import { busyOf, keptOf, noteOf, workerOf } from './lease-owner.js';
import type { TakenDelivery } from './leased-delivery.js';
import { BY_HASH } from './planning.js';

/** What a process can begin to send as soon as it is made. */
export interface DirectRoom {
  /** Of the leases. */
  token: string;
  /** How many deliveries. */
  most: number;
}

/** A match whose event was read with its envelope. */
export type ReadMatch = Match & { event: Match['event'] & { envelope: string } };

/*
 * Purpose: make deliveries as `deliverStatement` does, and lease those that a claim of this worker would get next anyway.
 * These are the ones whose endpoint is as it should be (not slow, no breaker, no rate) and has nothing due that waits, as far
 * as the caps of endpoint and tenant go, and in an ordered lane only the first of a resource; the others wait in the queue.
 * What is leased is noted as by a claim, and stands in no index but the key unless others may have to wait for it.
 * Keyed looks are lateral with `offset 0`, and other joins do not go through one list for each entry of the other.
 */
const DELIVER_LEASED = `
  with ${MADE},
  headed as materialized (select d.*, ${HEAD_DUE_AT} as head_due_at from d where enabled),
  wanted as (select distinct tenant_id, endpoint_id from headed),
  claims as (
    select c.* from (select distinct tenant_id from wanted) w cross join lateral (
      select * from data.webhook_claims c where c.tenant_id = w.tenant_id offset 0) c),
  kept as materialized (${keptOf('claims')}),
  busy as (${busyOf('wanted')}),
  open as materialized (
    select busy.tenant_id, busy.endpoint_id, l.revision, l.troubled, l.cap - busy.entries as room,
      ${TENANT_CAP} - busy.of_tenant as tenant_room
    from busy
      cross join lateral (select l.*, ${LANE_CAP} as cap, ${TROUBLED} as troubled, ${CLOSED} as closed
        from data.webhook_lanes l
        where l.tenant_id = busy.tenant_id and l.endpoint_id = busy.endpoint_id offset 0) l
      cross join lateral (select plan from directory.tenants t where t.id = busy.tenant_id offset 0) t
    where is_looked_at and not l.slow and not l.closed and l.openings = 0 and l.max_per_second is null
      and not exists (select 1 from (values (false), (true)) kind (retry), lateral (
        select 1 from data.webhook_queue q
        where q.tenant_id = busy.tenant_id and q.endpoint_id = busy.endpoint_id and q.retry = kind.retry
          and not q.direct and q.due_at <= now() and ${UNLEASED}
        order by q.due_at limit 1) waiting)),
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

/** Makes deliveries that are not there yet, and leases as many as can be sent at once; answers these. */
export async function deliverDirectly(
  transaction: Transaction,
  events: EventCatalogue,
  found: readonly ReadMatch[],
  { token, most }: DirectRoom,
): Promise<TakenDelivery[]> {
  for (const each of [LEASING, BY_HASH]) transaction.write(each);
  const columns = deliveryColumns(events, found);
  const leased = await transaction.query<LeasedRow>(deliver(columns, most, token));
  const [, ids, , , , versions] = columns as [unknown, string[], unknown, unknown, unknown, number[]];
  const places = new Map(ids.map((id, place) => [id, place]));
  return leased.map(({ id, revision, troubled }) => {
    const place = places.get(id)!;
    const { tenantId, event, endpoint } = found[place]!;
    return {
      ...{ tenantId, id, endpointId: endpoint.id, revision, troubled },
      ...{ direct: true, retry: false, slow: false, cause: 'schedule', attempts: 0, attemptCount: 0, generation: 1 },
      ...{ subjectId: event.subjectId, eventId: event.id, eventType: event.type, storedVersion: event.schemaVersion },
      ...{ schemaVersion: versions[place]!, payloadMode: endpoint.payloadMode },
      ...{ sequence: String(event.sequence), envelope: event.envelope },
    };
  });
}

interface LeasedRow {
  id: string;
  revision: number;
  troubled: boolean;
}

function deliver(columns: unknown[][], most: number, token: string): Statement {
  return statement(DELIVER_LEASED, [...columns, most, token, workerOf(token)]);
}
