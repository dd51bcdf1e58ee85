import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Automations } from '#libs/automation/automations.js';
import { flowRunsStatement } from '#libs/automation/flow-runs.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import {
  deliverStatement,
  type NumberedEvent,
  passingFilters,
  SUBSCRIPTION,
  type Subscription,
  wantsType,
} from './fan-out.js';
import { spanOf } from './id-span.js';
import type { Work } from './loop.js';
import { TenantFactsReader } from './tenant-facts.js';

/** Events that one transaction fans out. */
const BATCH = 200;
/** Tenants that one pass looks after. */
const TENANTS = 100;
/** Tenants that are looked after at a time, each on a connection of its own. */
const AT_A_TIME = 4;

// Hops from tenant to tenant in events_pending_idx, so that one with a million events costs no more than one with one.
const PENDING_TENANTS = `
  with recursive pending (tenant_id) as (
    (select tenant_id from data.events where dispatched_at is null and tenant_id > $1 order by tenant_id limit 1)
    union all
    select next.tenant_id from pending, lateral (
      select e.tenant_id from data.events e where e.dispatched_at is null and e.tenant_id > pending.tenant_id
      order by e.tenant_id limit 1) next)
  select tenant_id from pending limit ${TENANTS}`;
const ENSURE_SEQUENCE = `insert into data.event_sequences (tenant_id, last) values ($1, 0) on conflict (tenant_id) do nothing`;
const LOCK_SEQUENCE = `select last from data.event_sequences where tenant_id = $1 for update skip locked`;
const PENDING = `select id, type, schema_version as "schemaVersion", subject_type as "subjectType",
    subject_id as "subjectId", depth from data.events
  where tenant_id = $1 and dispatched_at is null order by position limit $2`;
// The lock makes whoever enables an endpoint wait for the deliveries that are held for it here, so that it sees them.
const ENDPOINTS = `select ${SUBSCRIPTION} from data.webhook_endpoints
  where tenant_id = $1 and deleted_at is null order by id for share`;
const NUMBER = `
  with advanced as (update data.event_sequences set last = $6 where tenant_id = $1)
  update data.events e set sequence = n.sequence, dispatched_at = now()
  from unnest($2::uuid[], $3::bigint[]) as n (id, sequence) where e.tenant_id = $1 and e.id = n.id and e.id between $4 and $5`;

// An event that cannot be fanned out must not keep those after it waiting: it gets its number, and its fault is kept.
const SET_ASIDE = `
  with next as (
    update data.event_sequences set last = last + 1 where tenant_id = $1 returning last)
  update data.events e set sequence = next.last, dispatched_at = now(), dispatch_error = $2
  from next where e.tenant_id = $1 and e.id = (
    select id from data.events where tenant_id = $1 and dispatched_at is null order by position limit 1)
  returning e.id`;

type PendingEvent = Omit<NumberedEvent, 'sequence'> & { depth: number };

/**
 * Takes committed events from the outbox and makes deliveries of them, exactly once: numbering the events, adding one
 * delivery per matching endpoint and one run per matching flow, and marking the events as dispatched are one transaction.
 *
 * The lock on the tenant's sequence makes relays of one tenant take turns, so its events are numbered without gaps in the
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
    private readonly tenants: TenantFactsReader,
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
    await this.tenants.findAll(tenantIds);
    let events = 0;
    let full = hasMore || startedInTheMiddle;
    const waiting = tenantIds.values();
    // A tenant that fails must not keep the others from their turn.
    const outcomes = await Promise.allSettled(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const tenantId of waiting) {
          const done = await this.dispatch(tenantId);
          events += done.events;
          if (done.deliveries > 0) onDeliveries(done.deliveries);
          full ||= done.events === BATCH;
        }
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    this.passedMs = performance.now();
    return full ? 'full' : events > 0 ? 'some' : 'none';
  }

  /** Fans out up to 200 events of one tenant; none when another relay is at it. */
  async dispatch(tenantId: string): Promise<{ events: number; deliveries: number }> {
    const tenant = await this.tenants.find(tenantId);
    if (!tenant) return { events: 0, deliveries: 0 };
    return runAsSystem(tenant, 'event relay', uuidv7(), async () => {
      try {
        return await this.fanOut(tenantId, BATCH);
      } catch (error) {
        if (error instanceof Problem && error.code === 'unavailable') throw error;
        return await this.fanOut(tenantId, 1).catch((fault: unknown) => this.setAside(tenantId, fault));
      }
    });
  }

  /** Numbers the next event without fanning it out: neither a batch with it nor it alone could be. */
  private async setAside(tenantId: string, fault: unknown): Promise<{ events: number; deliveries: number }> {
    if (fault instanceof Problem && fault.code === 'unavailable') throw fault;
    const reason = String(fault).slice(0, 500);
    await this.database.transaction(async (transaction) => {
      await transaction.query(statement(LOCK_SEQUENCE, [tenantId]));
      const [event] = await transaction.query<{ id: string }>(statement(SET_ASIDE, [tenantId, reason]));
      this.logger.error(`The event ${event?.id} could not be fanned out and was set aside: ${reason}`);
    });
    this.setAsides.inc();
    return { events: 1, deliveries: 0 };
  }

  private fanOut(tenantId: string, limit: number): Promise<{ events: number; deliveries: number }> {
    return this.database.transaction(async (transaction) => {
      transaction.write(statement(ENSURE_SEQUENCE, [tenantId]));
      // Statements after the lock see what the relay before has dispatched.
      const [sequences, pending, endpoints] = (await transaction.queryAll([
        statement(LOCK_SEQUENCE, [tenantId]),
        statement(PENDING, [tenantId, limit]),
        statement(ENDPOINTS, [tenantId]),
      ])) as unknown as [{ last: number }[], PendingEvent[], Subscription[]]; // the columns are named as the members
      const [sequence] = sequences;
      if (!sequence || pending.length === 0) return { events: 0, deliveries: 0 };
      const events = pending.map((event, index) => ({ ...event, sequence: sequence.last + index + 1 }));
      const wanted = events.flatMap((event) =>
        endpoints.filter((endpoint) => wantsType(endpoint, event.type)).map((endpoint) => ({ event, endpoint })),
      );
      const deliveries = await passingFilters(transaction, this.catalogue, tenantId, wanted);
      const numbers = events.map((event) => event.sequence);
      const ids = events.map(({ id }) => id);
      transaction.write(statement(NUMBER, [tenantId, ids, numbers, ...spanOf(ids), numbers.at(-1)]));
      if (deliveries.length > 0) transaction.write(deliverStatement(this.catalogue, tenantId, deliveries, 'schedule'));
      const runs = flowRunsStatement(this.automations, tenantId, events);
      if (runs) transaction.write(runs);
      return { events: events.length, deliveries: deliveries.length };
    });
  }
}
