import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Automations } from '#libs/automation/automations.js';
import { flowRunsStatement } from '#libs/automation/flow-runs.js';
import { Database, inTenant } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import {
  deliverStatement,
  type NumberedEvent,
  passingFilters,
  SUBSCRIPTION,
  type Subscription,
  wantsType,
} from './fan-out.js';
import { spanOf } from './id-span.js';
import { PLAN_EACH_TIME, PLAN_ONCE } from './planning.js';
import type { Work } from './loop.js';

/** Events that one transaction fans out, about; those of one tenant, at most and at least. */
const BATCH = 800;
const MOST_OF_ONE = 200;
const LEAST_OF_ONE = 8;
/** Tenants that one pass looks after. */
const TENANTS = 100;

// Hops from tenant to tenant in events_pending_idx, so that one with a million events costs no more than one with one.
const PENDING_TENANTS = `
  with recursive pending (tenant_id) as (
    (select tenant_id from data.events where dispatched_at is null and tenant_id > $1 order by tenant_id limit 1)
    union all
    select next.tenant_id from pending, lateral (
      select e.tenant_id from data.events e where e.dispatched_at is null and e.tenant_id > pending.tenant_id
      order by e.tenant_id limit 1) next)
  select tenant_id from pending limit ${TENANTS}`;
const ENSURE_SEQUENCES = `insert into data.event_sequences (tenant_id, last)
  select tenant_id, 0 from unnest($1::uuid[]) as t (tenant_id) order by tenant_id on conflict (tenant_id) do nothing`;
const LOCK_SEQUENCES = `select tenant_id as "tenantId", last from data.event_sequences
  where tenant_id = any($1::uuid[]) order by tenant_id for update skip locked`;
const PENDING = `
  select e.tenant_id as "tenantId", e.id, e.type, e.schema_version as "schemaVersion", e.subject_type as "subjectType",
    e.subject_id as "subjectId", e.depth
  from unnest($1::uuid[]) as t (tenant_id) cross join lateral (
    select * from data.events e where e.tenant_id = t.tenant_id and e.dispatched_at is null
    order by e.position limit $2) e`;
// The lock makes whoever enables an endpoint wait for the deliveries that are held for it here, so that it sees them.
const ENDPOINTS = `select ${SUBSCRIPTION} from data.webhook_endpoints
  where tenant_id = $1 and deleted_at is null order by id for share`;
const NUMBER = `
  with n as (select * from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as n (tenant_id, id, sequence)),
  advanced as (
    update data.event_sequences s set last = n.last
    from (select tenant_id, max(sequence) as last from n group by tenant_id) n where s.tenant_id = n.tenant_id)
  update data.events e set sequence = n.sequence, dispatched_at = now()
  from n where e.tenant_id = n.tenant_id and e.id = n.id and e.id between $4 and $5`;

// An event that cannot be fanned out must not keep those after it waiting: it gets its number, and its fault is kept.
const SET_ASIDE = `
  with next as (
    update data.event_sequences set last = last + 1 where tenant_id = $1 returning last)
  update data.events e set sequence = next.last, dispatched_at = now(), dispatch_error = $2
  from next where e.tenant_id = $1 and e.id = (
    select id from data.events where tenant_id = $1 and dispatched_at is null order by position limit 1)
  returning e.id`;

type PendingEvent = Omit<NumberedEvent, 'sequence'> & { tenantId: string; depth: number };

/** What was done for a tenant. */
interface Done {
  events: number;
  deliveries: number;
}
const NOTHING: Done = { events: 0, deliveries: 0 };

/**
 * Takes committed events from the outbox and makes deliveries of them, exactly once: numbering the events, adding one
 * delivery per matching endpoint and one run per matching flow, and marking the events as dispatched are one transaction,
 * for many tenants at a time.
 *
 * The lock on a tenant's sequence makes relays of one tenant take turns, so its events are numbered without gaps in the
 * order in which they became visible, whatever the order in which their transactions began. `Source:` contract section 7,
 * facts "api-webhooks" section 2c.
 */
@Injectable()
export class EventRelay {
  private readonly logger = new Logger('webhooks');
  private readonly setAsides: Counter;
  private after = NIL_UUID;
  private passedMs = performance.now();

  constructor(
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly catalogue: EventCatalogue,
    metrics: Metrics,
  ) {
    this.setAsides = metrics.counter('events_set_aside_total', 'Events that could not be fanned out.');
    metrics.gauge('events_relay_idle_seconds', 'How long ago the relay last got through a look for events.', () => {
      return (performance.now() - this.passedMs) / 1_000;
    });
  }

  /** Fans out the next events of the next tenants that have some; `onDeliveries` hears how many there are for each. */
  async pass(onDeliveries: (count: number) => void = () => undefined): Promise<Work> {
    const [answer] = await this.database.system([statement(PENDING_TENANTS, [this.after])]);
    const tenantIds = answer!.rows.map((row) => String(row['tenant_id']));
    const startedInTheMiddle = this.after !== NIL_UUID;
    const hasMore = tenantIds.length === TENANTS;
    this.after = hasMore ? tenantIds.at(-1)! : NIL_UUID;
    let events = 0;
    let full = hasMore || startedInTheMiddle;
    const limit = Math.max(LEAST_OF_ONE, Math.min(MOST_OF_ONE, Math.floor(BATCH / tenantIds.length)));
    for (const done of await this.fanOutOrOneByOne(tenantIds, limit)) {
      events += done.events;
      if (done.deliveries > 0) onDeliveries(done.deliveries);
      full ||= done.events >= limit;
    }
    this.passedMs = performance.now();
    return full ? 'full' : events > 0 ? 'some' : 'none';
  }

  /** Fans out up to 200 events of one tenant; none when another relay is at it. */
  async dispatch(tenantId: string): Promise<Done> {
    try {
      return await this.fanOutOne(tenantId, MOST_OF_ONE);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return await this.fanOutOne(tenantId, 1).catch((fault: unknown) => this.setAside(tenantId, fault));
    }
  }

  /** A tenant that fails must not keep the others from their turn. */
  private async fanOutOrOneByOne(tenantIds: readonly string[], limit: number): Promise<Done[]> {
    if (tenantIds.length === 0) return [];
    try {
      return [...(await this.fanOut(tenantIds, limit)).values()];
    } catch (error) {
      if (isUnavailable(error)) throw error;
    }
    const done: Done[] = [];
    const faults: unknown[] = [];
    for (const tenantId of tenantIds)
      await this.dispatch(tenantId).then(
        (each) => done.push(each),
        (fault: unknown) => faults.push(fault),
      );
    if (faults.length > 0) throw faults[0];
    return done;
  }

  /** Numbers the next event without fanning it out: neither a batch with it nor it alone could be. */
  private async setAside(tenantId: string, fault: unknown): Promise<Done> {
    if (isUnavailable(fault)) throw fault;
    const reason = String(fault).slice(0, 500);
    await this.database.acrossTenants(async (transaction) => {
      await transaction.query(statement(LOCK_SEQUENCES, [[tenantId]]));
      const [event] = await transaction.query<{ id: string }>(statement(SET_ASIDE, [tenantId, reason]));
      this.logger.error(`The event ${event?.id} could not be fanned out and was set aside: ${reason}`);
    });
    this.setAsides.inc();
    return { events: 1, deliveries: 0 };
  }

  private async fanOutOne(tenantId: string, limit: number): Promise<Done> {
    return (await this.fanOut([tenantId], limit)).get(tenantId) ?? NOTHING;
  }

  /** Fans out up to so many events of each tenant; answers the tenants that nobody else is at and that have some. */
  private fanOut(tenantIds: readonly string[], limit: number): Promise<Map<string, Done>> {
    return this.database.acrossTenants(async (transaction) => {
      transaction.write(statement(ENSURE_SEQUENCES, [tenantIds]));
      // Statements after the lock see what the relay before has dispatched.
      const [sequences, pending, ...endpoints] = (await transaction.queryAll([
        statement(LOCK_SEQUENCES, [tenantIds]),
        statement(PENDING, [tenantIds, limit]),
        ...tenantIds.flatMap((tenantId) => [inTenant(tenantId), statement(ENDPOINTS, [tenantId])]),
      ])) as unknown as [{ tenantId: string; last: number }[], PendingEvent[], ...Subscription[][]]; // named as the members
      const last = new Map(sequences.map((sequence) => [sequence.tenantId, sequence.last]));
      const subscriptions = new Map(tenantIds.map((tenantId, index) => [tenantId, endpoints[2 * index + 1]!]));
      const events = pending.flatMap((event) => {
        const sequence = last.get(event.tenantId);
        if (sequence === undefined) return [];
        last.set(event.tenantId, sequence + 1);
        return [{ ...event, sequence: sequence + 1 }];
      });
      if (events.length === 0) return new Map<string, Done>();
      const wanted = events.flatMap((event) =>
        subscriptions
          .get(event.tenantId)!
          .filter((endpoint) => wantsType(endpoint, event.type))
          .map((endpoint) => ({ tenantId: event.tenantId, event, endpoint })),
      );
      const deliveries = await passingFilters(transaction, this.catalogue, wanted);
      const ids = events.map(({ id }) => id);
      const numbers = [events.map(({ tenantId }) => tenantId), ids, events.map(({ sequence }) => sequence)];
      transaction.write(PLAN_EACH_TIME);
      transaction.write(statement(NUMBER, [...numbers, ...spanOf(ids)]));
      transaction.write(PLAN_ONCE);
      if (deliveries.length > 0) transaction.write(deliverStatement(this.catalogue, deliveries, 'schedule'));
      const runs = flowRunsStatement(this.automations, events);
      if (runs) transaction.write(runs);
      const done = new Map<string, Done>();
      const add = (tenantId: string, more: Done) => {
        const { events, deliveries } = done.get(tenantId) ?? NOTHING;
        done.set(tenantId, { events: events + more.events, deliveries: deliveries + more.deliveries });
      };
      for (const { tenantId } of events) add(tenantId, { events: 1, deliveries: 0 });
      for (const { tenantId } of deliveries) add(tenantId, { events: 0, deliveries: 1 });
      return done;
    });
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.status === 503;
}
