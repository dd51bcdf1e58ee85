import { Injectable } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { flowRunsStatement } from '#libs/automation/flow-runs.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { matches } from '#libs/outbox/event-catalogue.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from './loop.js';
import { TenantFactsReader } from './tenant-facts.js';

/** Events that one transaction fans out. */
const BATCH = 200;
/** Tenants that one pass looks after. */
const TENANTS = 100;
/** Tenants that are looked after at a time, each on a connection of its own. */
const AT_A_TIME = 4;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

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
const PENDING = `select id, type, subject_id as "subjectId", depth from data.events where tenant_id = $1 and dispatched_at is null
  order by position limit ${BATCH}`;
// The lock makes whoever enables an endpoint wait for the deliveries that are held for it here, so that it sees them.
const ENDPOINTS = `select id, event_types as "eventTypes", status from data.webhook_endpoints
  where tenant_id = $1 and deleted_at is null order by id for share`;
const NUMBER = `update data.events e set sequence = n.sequence, dispatched_at = now()
  from unnest($2::uuid[], $3::bigint[]) as n (id, sequence) where e.tenant_id = $1 and e.id = n.id`;
const ADVANCE = `update data.event_sequences set last = $2 where tenant_id = $1`;
const DELIVER = `
  insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, status, due_at, created_at)
  select $1, d.id, d.event_id, d.endpoint_id, d.event_type, d.status, case d.status when 'pending' then now() end, now()
  from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[])
    as d (id, event_id, endpoint_id, event_type, status)
  on conflict on constraint webhook_deliveries_once do nothing`;

interface PendingEvent {
  id: string;
  type: string;
  subjectId: string;
  depth: number;
}

interface Subscription {
  id: string;
  eventTypes: string[];
  status: 'enabled' | 'paused' | 'disabled';
}

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
  private after = FIRST_ID;

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly automations: Automations,
  ) {}

  /** Fans out the next events of the next tenants that have some. */
  async pass(): Promise<{ work: Work; deliveries: number }> {
    const [answer] = await this.database.system([statement(PENDING_TENANTS, [this.after])]);
    const tenantIds = answer!.rows.map((row) => String(row['tenant_id']));
    const startedInTheMiddle = this.after !== FIRST_ID;
    const hasMore = tenantIds.length === TENANTS;
    this.after = hasMore ? tenantIds.at(-1)! : FIRST_ID;
    await this.tenants.findAll(tenantIds);
    let events = 0;
    let deliveries = 0;
    let full = hasMore || startedInTheMiddle;
    const waiting = tenantIds.values();
    // A tenant that fails must not keep the others from their turn.
    const outcomes = await Promise.allSettled(
      Array.from({ length: AT_A_TIME }, async () => {
        for (const tenantId of waiting) {
          const done = await this.dispatch(tenantId);
          events += done.events;
          deliveries += done.deliveries;
          full ||= done.events === BATCH;
        }
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return { work: full ? 'full' : events > 0 ? 'some' : 'none', deliveries };
  }

  /** Fans out up to 200 events of one tenant; none when another relay is at it. */
  async dispatch(tenantId: string): Promise<{ events: number; deliveries: number }> {
    const tenant = await this.tenants.find(tenantId);
    if (!tenant) return { events: 0, deliveries: 0 };
    return runAsSystem(tenant, 'event relay', uuidv7(), () =>
      this.database.transaction((transaction) => fanOut(transaction, tenantId, this.automations)),
    );
  }
}

async function fanOut(
  transaction: Transaction,
  tenantId: string,
  automations: Automations,
): Promise<{ events: number; deliveries: number }> {
  transaction.write(statement(ENSURE_SEQUENCE, [tenantId]));
  const [sequence] = await transaction.query<{ last: number }>(statement(LOCK_SEQUENCE, [tenantId]));
  if (!sequence) return { events: 0, deliveries: 0 };
  // Statements after the lock see what the relay before has dispatched.
  const events = await transaction.query<PendingEvent>(statement(PENDING, [tenantId]));
  if (events.length === 0) return { events: 0, deliveries: 0 };
  const endpoints = await transaction.query<Subscription>(statement(ENDPOINTS, [tenantId]));
  const deliveries = events.flatMap((event) =>
    endpoints
      .filter(({ eventTypes }) => eventTypes.some((pattern) => matches(pattern, event.type)))
      .map(({ id, status }) => ({ event, endpointId: id, status: status === 'enabled' ? 'pending' : 'held' })),
  );
  const ids = events.map(({ id }) => id);
  const numbers = events.map((_, index) => sequence.last + index + 1);
  transaction.write(statement(NUMBER, [tenantId, ids, numbers]));
  transaction.write(statement(ADVANCE, [tenantId, numbers.at(-1)]));
  if (deliveries.length > 0)
    transaction.write(
      statement(DELIVER, [
        tenantId,
        deliveries.map(() => uuidv7()),
        deliveries.map(({ event }) => event.id),
        deliveries.map(({ endpointId }) => endpointId),
        deliveries.map(({ event }) => event.type),
        deliveries.map(({ status }) => status),
      ]),
    );
  const numbered = events.map((event, index) => ({ ...event, sequence: numbers[index]! }));
  const runs = flowRunsStatement(automations, tenantId, numbered);
  if (runs) transaction.write(runs);
  return { events: events.length, deliveries: deliveries.length };
}
