import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { flowRunsStatement } from '#libs/automation/flow-runs.js';
import { Database, inTenant } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { deliverDirectly, type DirectRoom, type ReadMatch, takenOf } from '../leases/direct-leases.js';
import { deliveryId } from '../delivery-id.js';
import {
  deliverStatement,
  type Match,
  type NumberedEvent,
  passingFilters,
  SUBSCRIPTION,
  type Subscription,
  versionOf,
  wantsType,
} from './fan-out.js';
import { ALL_DAYS, daysAround, type Span } from '../id-span.js';
import type { TakenDelivery } from '../leases/leased-delivery.js';
import { chooseOpen, type OpenLane, openLanes } from '../lanes/open-lanes.js';
import { ALONG_INDEX, ANY_WAY, BY_KEY } from '../leases/planning.js';
import { type Sending, SendingJournal } from '../leases/sending-journal.js';
import type { OthersJournal } from '../leases/sending-statements.js';

const ENSURE_SEQUENCES = `insert into data.event_sequences (tenant_id, last)
  select tenant_id, 0 from unnest($1::uuid[]) as t (tenant_id) order by tenant_id on conflict (tenant_id) do nothing`;
/** Serializes relays of the same tenants. */
export const LOCK_SEQUENCES = `select tenant_id as "tenantId", last from data.event_sequences
  where tenant_id = any($1::uuid[]) order by tenant_id for update skip locked`;
// One lookup by key per event (`offset 0`). The span avoids opening the partitions of all days, which are 45 with a
// retention of thirty days. For an event outside the span only the pending row is read.
const PENDING = `
  select p.tenant_id as "tenantId", p.position, e.id, e.type, e.schema_version as "schemaVersion", e.subject_type as "subjectType",
    e.subject_id as "subjectId", e.depth, e.traceparent, case when sends then e.envelope end as envelope
  from unnest($1::uuid[], $2::integer[]) as t (tenant_id, most)
  cross join lateral (
    select $3 and exists (select 1 from data.webhook_lanes l where l.tenant_id = t.tenant_id) as sends offset 0) l
  cross join lateral (
    select * from data.events_pending p where p.tenant_id = t.tenant_id order by p.tenant_id, p.position limit t.most) p
  left join lateral (
    select * from data.events e
    where e.tenant_id = p.tenant_id and e.id = p.event_id and e.id between $4 and $5 offset 0) e on true`;
// Because of the lock, enabling an endpoint waits for the deliveries that are held here, and sees them.
const ENDPOINTS = `select ${SUBSCRIPTION} from data.webhook_endpoints
  where tenant_id = $1 and deleted_at is null order by id for share`;
// Written to force a lookup of pending rows by key (`isEntry`), however many there are.
const NUMBER = `
  with n as (
    select * from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bigint[]) as n (tenant_id, position, event_id, sequence)),
  advanced as (
    update data.event_sequences s set last = n.last
    from (select tenant_id, max(sequence) as last from n group by tenant_id) n
    where s.tenant_id = any (array[n.tenant_id])),
  done as (
    delete from data.events_pending p using n
    where p.tenant_id = any (array[n.tenant_id]) and p.position = any (array[n.position]))
  insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at)
  select tenant_id, sequence, event_id, now() from n`;

/** `envelope` is null unless deliveries are to be leased. */
type PendingEvent = Omit<NumberedEvent, 'sequence'> & {
  tenantId: string;
  position: number;
  depth: number;
  envelope: string | null;
  traceparent: string | null;
};

/** Results of the first statements of a transaction, for some tenants. */
interface Beginning {
  /** The last number of each tenant. A tenant is missing if another relay is processing it. */
  last: Map<string, number>;
  pending: PendingEvent[];
  /** Whether there are events outside the span. */
  more: boolean;
  subscriptions: Map<string, Subscription[]>;
  /** With `room`: endpoints to which deliveries can be sent at once. */
  lanes: OpenLane[];
  /** What other workers are sending. */
  others: OthersJournal[];
}

type PendingMatch = Match & { event: Pick<PendingEvent, 'envelope' | 'traceparent'> };

/** A tenant, and the maximum number of its events. */
export interface Share {
  tenantId: string;
  most: number;
}

/** Result of fanning out the next events of some tenants. */
export interface FannedOut {
  /** Number of events by tenant. Tenants without events, or in another relay, are missing. */
  events: Map<string, number>;
  /** Number of created deliveries. */
  made: number;
  /** Created deliveries that this process has leased. */
  leased: TakenDelivery[];
  /** Created deliveries that wait in the queue. */
  queued: QueuedDelivery[];
}

/** A delivery that waits in the queue. */
export interface QueuedDelivery {
  tenantId: string;
  endpointId: string;
  /** Resource in an ordered lane: the delivery is sent after the earlier ones of this resource are settled. */
  subjectId: string | null;
}

/** How deliveries can be sent directly. */
interface Direct {
  room: DirectRoom;
  lanes: readonly OpenLane[];
  /** Deliveries of the tenants in progress that have no rows yet. */
  sending: readonly Sending[];
  /** Receives the deliveries that are noted as first attempts. */
  announced: TakenDelivery[];
}

/** An empty result. */
export const noEvents = (): FannedOut => ({ events: new Map(), made: 0, leased: [], queued: [] });

/**
 * Creates deliveries and flow runs for events, many tenants at a time. One transaction numbers the events, adds
 * deliveries and runs, and removes the pending rows.
 *
 * The lock on a tenant's sequence serializes its relays, so its events are numbered without gaps in the order in which
 * they became visible, whatever the order in which their transactions started.
 */
@Injectable()
export class EventFanOut {
  constructor(
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly catalogue: EventCatalogue,
    private readonly journal: SendingJournal,
  ) {}

  /** Fans out the next events of each tenant, and leases deliveries within `room`. */
  async next(shares: readonly Share[], room: DirectRoom | null): Promise<FannedOut> {
    const announced: TakenDelivery[] = [];
    try {
      const done = await this.fanOut(shares, room, announced);
      this.journal.begin(announced);
      return done;
    } catch (error) {
      this.journal.withdraw(announced);
      throw error;
    }
  }

  /** @param announced receives the deliveries that are noted as first attempts */
  private fanOut(shares: readonly Share[], room: DirectRoom | null, announced: TakenDelivery[]): Promise<FannedOut> {
    const tenantIds = shares.map(({ tenantId }) => tenantId);
    return this.database.acrossTenants(async (transaction) => {
      this.journal.withdraw(announced.splice(0)); // of a try before
      transaction.write(statement(ENSURE_SEQUENCES, [tenantIds]));
      let beginning = await this.begin(transaction, shares, room, daysAround(Date.now()));
      if (beginning.more) beginning = await this.begin(transaction, shares, room, ALL_DAYS);
      const { last, pending, subscriptions, lanes, others } = beginning;
      const events = pending.flatMap((event) => {
        const sequence = last.get(event.tenantId);
        if (sequence === undefined) return [];
        last.set(event.tenantId, sequence + 1);
        return [{ ...event, sequence: sequence + 1 }];
      });
      if (events.length === 0) return noEvents();
      const wanted = events.flatMap((event) =>
        subscriptions
          .get(event.tenantId)!
          .filter((endpoint) => wantsType(endpoint, event.type))
          .map((endpoint) => ({ tenantId: event.tenantId, event, endpoint })),
      );
      const deliveries = await passingFilters(transaction, this.catalogue, wanted);
      const counts = new Map<string, number>();
      for (const { tenantId } of events) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
      const column = <K extends keyof (typeof events)[number]>(name: K) => events.map((event) => event[name]);
      const numbers = [column('tenantId'), column('position'), column('id'), column('sequence')];
      for (const each of [BY_KEY, statement(NUMBER, numbers), ANY_WAY]) transaction.write(each);
      const runs = flowRunsStatement(this.automations, events);
      if (runs) transaction.write(runs);
      const direct = room && {
        room,
        lanes,
        sending: await this.journal.all(transaction, tenantIds, others),
        announced,
      };
      return { events: counts, ...(await this.deliver(transaction, deliveries, direct)) };
    });
  }

  /**
   * Locks, then reads the work: events before endpoints, because every endpoint that was created before an event must
   * be seen.
   */
  private async begin(
    transaction: Transaction,
    shares: readonly Share[],
    room: DirectRoom | null,
    span: Span,
  ): Promise<Beginning> {
    const tenantIds = shares.map(({ tenantId }) => tenantId);
    const most = shares.map((share) => share.most);
    // Statements after the lock see what the previous relay has dispatched.
    const rows = await transaction.queryAll([
      statement(LOCK_SEQUENCES, [tenantIds]),
      ALONG_INDEX,
      statement(PENDING, [tenantIds, most, room !== null, ...span]),
      ANY_WAY,
      ...tenantIds.flatMap((tenantId) => [inTenant(tenantId), statement(ENDPOINTS, [tenantId])]),
      ...(room ? [...openLanes(tenantIds), BY_KEY, this.journal.others(tenantIds), ANY_WAY] : []),
    ]);
    const [sequences, , pending, , ...endpoints] = rows as unknown as [
      { tenantId: string; last: number }[],
      unknown,
      (PendingEvent | { id: null })[],
      unknown,
      ...Subscription[][],
    ]; // named as the members
    // Additional results with `room`, starting with the lanes; the unknown ones are those of settings.
    type Leasing = [lanes: OpenLane[], unknown, unknown, others: OthersJournal[], unknown];
    const [lanes, , , others] = rows.slice(-5) as unknown as Leasing; // columns are named as the members
    const found = pending.filter((event) => event.id !== null);
    return {
      ...(room ? { lanes, others } : { lanes: [], others: [] }),
      last: new Map(sequences.map((sequence) => [sequence.tenantId, sequence.last])),
      pending: found,
      more: found.length < pending.length,
      subscriptions: new Map(tenantIds.map((tenantId, index) => [tenantId, endpoints[2 * index + 1]!])),
    };
  }

  private async deliver(
    transaction: Transaction,
    deliveries: readonly PendingMatch[],
    direct: Direct | null,
  ): Promise<Omit<FannedOut, 'events'>> {
    const made = deliveries.length;
    const sent = deliveries.filter(({ endpoint }) => endpoint.status === 'enabled');
    // An envelope is missing if the tenant's first endpoint was created between two statements of the round trip.
    const read = deliveries.filter(wasRead);
    if (direct === null || read.length < made || sent.length === 0) {
      if (made > 0) transaction.write(deliverStatement(this.catalogue, deliveries, 'schedule'));
      return { made, leased: [], queued: sent.map(queuedOf) };
    }
    const { room, lanes, sending, announced } = direct;
    const open = read.filter(({ tenantId, endpoint }) => endpoint.status === 'enabled' && this.journal.takes(tenantId));
    const chosen = chooseOpen(open, lanes, sending, room.most);
    announced.push(...chosen.map(({ match, lane }) => this.firstAttempt(match, lane, room.token)));
    if (announced.length > 0) transaction.write(this.journal.announce(announced));
    const others = new Set(read);
    for (const { match } of chosen) others.delete(match);
    if (others.size === 0) return { made, leased: announced, queued: [] };
    const left = { ...room, most: room.most - announced.length };
    const also = await deliverDirectly(transaction, this.catalogue, [...others], left, [...sending, ...announced]);
    const leased = [...announced, ...also];
    const taken = new Set(leased.map(({ eventId, endpointId }) => `${eventId} ${endpointId}`));
    const queued = sent.filter(({ event, endpoint }) => !taken.has(`${event.id} ${endpoint.id}`));
    return { made, leased, queued: queued.map(queuedOf) };
  }

  private firstAttempt(match: ReadMatch, { revision, at }: OpenLane, token: string): TakenDelivery {
    const { event, endpoint } = match;
    return takenOf(match, {
      ...{ id: deliveryId(event.id, endpoint.id), token, revision, troubled: false },
      schemaVersion: this.catalogue.versionFor(event.type, event.schemaVersion, versionOf(endpoint, event.type)),
      unrecorded: { subjectType: event.subjectType, createdAt: at },
    });
  }
}

function wasRead(match: PendingMatch): match is ReadMatch {
  return match.event.envelope !== null;
}

function queuedOf({ tenantId, event, endpoint }: Match): QueuedDelivery {
  return { tenantId, endpointId: endpoint.id, subjectId: endpoint.ordering === 'none' ? null : event.subjectId };
}
