import { Injectable, Logger } from '@nestjs/common';
import { Automations } from '#libs/automation/automations.js';
import { flowRunsStatement } from '#libs/automation/flow-runs.js';
import { Database, inTenant } from '#libs/database/database.js';
import { isUnavailable } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { storableText } from '#libs/kernel/storable.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { LOCK_SEQUENCES } from './event-fan-out.js';
import {
  deliverStatement,
  type NumberedEvent,
  passingFilters,
  SUBSCRIPTION,
  type Subscription,
  wantsType,
} from './fan-out.js';
import type { Work } from '#libs/worker/loop.js';

/**
 * Delays after the first and each further failure: ten attempts in eight hours. After the last one the event is given
 * up.
 */
const PAUSES_SECONDS: readonly number[] = [1, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400];
/** Events per pass. */
const BATCH = 100;
const MAX_ERROR = 500;

const ADD = `
  with first as (
    delete from data.events_pending where tenant_id = $1 and position = (
      select position from data.events_pending where tenant_id = $1 order by tenant_id, position limit 1)
    returning event_id),
  next as (
    update data.event_sequences set last = last + 1 where tenant_id = $1 and exists (select 1 from first) returning last),
  numbered as (
    insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at)
    select $1, next.last, first.event_id, now() from first, next)
  insert into data.events_set_aside (tenant_id, event_id, sequence, attempts, due_at, error, set_aside_at)
  select $1, first.event_id, next.last, 1, now() + ${PAUSES_SECONDS[0]} * interval '1 second', $2, now() from first, next
  returning event_id as id`;
const DUE = `
  select tenant_id as "tenantId", event_id as "eventId" from data.events_set_aside
  where due_at <= now() order by due_at limit ${BATCH}`;
const TAKE = `
  select set_aside_at as "setAsideAt", sequence from data.events_set_aside
  where tenant_id = $1 and event_id = $2 and due_at <= now() for update skip locked`;
const EVENT = `
  select tenant_id as "tenantId", id, type, schema_version as "schemaVersion", subject_type as "subjectType",
    subject_id as "subjectId", depth
  from data.events where tenant_id = $1 and id = $2`;
// The endpoints that existed when the event was due, locked as in the relay.
const ENDPOINTS = `select ${SUBSCRIPTION} from data.webhook_endpoints
  where tenant_id = $1 and created_at <= $2 and deleted_at is null order by id for share`;
const DONE = `delete from data.events_set_aside where tenant_id = $1 and event_id = $2`;
const FAILED = `
  update data.events_set_aside set attempts = attempts + 1, error = $3,
    due_at = now() + ($4::integer[])[attempts + 1] * interval '1 second'
  where tenant_id = $1 and event_id = $2 and due_at <= now() returning due_at as "dueAt"`;

interface Key {
  tenantId: string;
  eventId: string;
}

/** When an event was set aside, and its position in the sequence. */
interface Taken {
  setAsideAt: string;
  sequence: number;
}

type StoredEvent = Omit<NumberedEvent, 'sequence'> & { tenantId: string; depth: number };

/**
 * Events that could not be fanned out. Such an event must not block later ones, so it gets its number and is stored
 * here, to be retried with growing delays. After ten failures it is given up: it remains until an operator has fixed
 * the cause and retries it. `Source:` ADR 0030.
 */
@Injectable()
export class SetAsideEvents {
  private readonly logger = new Logger('webhooks');

  constructor(
    private readonly database: Database,
    private readonly automations: Automations,
    private readonly catalogue: EventCatalogue,
  ) {}

  /**
   * Numbers the next event of a tenant without fanning it out. Returns its id, or nothing if another relay is
   * processing the tenant.
   * @param reason stored with the event
   */
  add(tenantId: string, reason: string): Promise<string | undefined> {
    return this.database.acrossTenants(async (transaction) => {
      const [locked] = await transaction.query(statement(LOCK_SEQUENCES, [[tenantId]]));
      if (!locked) return undefined;
      const values = [tenantId, storableText(reason, MAX_ERROR)];
      const [event] = await transaction.query<{ id: string }>(statement(ADD, values));
      return event?.id;
    });
  }

  /** Retries due events. Several processes may do so at once. Requires the `system` role. */
  async pass(): Promise<Work> {
    const due = await this.database.systemRead<Key>(statement(DUE));
    for (const key of due) await this.retry(key);
    if (due.length === 0) return 'none';
    return due.length === BATCH ? 'full' : 'some';
  }

  private async retry(key: Key): Promise<void> {
    try {
      await this.database.acrossTenants((transaction) => this.fanOut(transaction, key));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await this.failed(key, String(error));
    }
  }

  /** Does the relay's work and removes the event from here, in one transaction. */
  private async fanOut(transaction: Transaction, { tenantId, eventId }: Key): Promise<void> {
    const key = [tenantId, eventId];
    const [taken] = await transaction.query<Taken>(statement(TAKE, key));
    if (!taken) return; // another process is working on it
    transaction.write(statement(DONE, key));
    const [[stored], , endpoints] = (await transaction.queryAll([
      statement(EVENT, key),
      inTenant(tenantId),
      statement(ENDPOINTS, [tenantId, taken.setAsideAt]),
    ])) as unknown as [StoredEvent[], unknown, Subscription[]]; // named as the members
    if (!stored) return; // its partition has been dropped
    const event = { ...stored, sequence: taken.sequence };
    const wanted = endpoints
      .filter((endpoint) => wantsType(endpoint, event.type))
      .map((endpoint) => ({ tenantId, event, endpoint }));
    const deliveries = await passingFilters(transaction, this.catalogue, wanted);
    const runs = flowRunsStatement(this.automations, [event]);
    if (runs) transaction.write(runs);
    if (deliveries.length > 0) transaction.write(deliverStatement(this.catalogue, deliveries, 'schedule'));
  }

  private async failed({ tenantId, eventId }: Key, reason: string): Promise<void> {
    const values = [tenantId, eventId, storableText(reason, MAX_ERROR), PAUSES_SECONDS];
    const [answer] = await this.database.system([statement(FAILED, values)]);
    const row = answer!.rows[0];
    if (row)
      this.logger.error(`The event ${eventId} ${row['dueAt'] === null ? 'is given up' : 'failed again'}: ${reason}`);
  }
}
