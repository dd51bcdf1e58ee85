import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Database } from '#libs/database/database.js';
import { isUnavailable } from '#libs/database/failures.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import type { DirectRoom } from '../leases/direct-leases.js';
import type { DirectSender } from '../sending/direct-sender.js';
import { EventFanOut, type FannedOut, noEvents, type Share } from './event-fan-out.js';
import type { Work } from '#libs/worker/loop.js';
import { ALONG_INDEX } from '../leases/planning.js';
import { SetAsideEvents } from './set-aside-events.js';

/** Maximum number of events per transaction, and per tenant. */
const BATCH = 800;
const MOST_OF_ONE = 200;
/** Maximum number of tenants per pass: ten events each, or more if there are fewer tenants. */
const TENANTS = 80;
/** With fewer tenants the search continues, because a pass costs little less for few tenants than for many. */
const ENOUGH = 50;

// Skips from tenant to tenant along the key: a million events of one tenant cost no more than one.
const PENDING_TENANTS = `
  with recursive pending (tenant_id) as (
    (select tenant_id from data.events_pending where tenant_id > $1 order by tenant_id, position limit 1)
    union all
    select next.* from pending, lateral (
      select p.tenant_id from data.events_pending p where p.tenant_id > pending.tenant_id
      order by p.tenant_id, p.position limit 1) next)
  select tenant_id from pending limit ${TENANTS}`;

/** Listener for the results of a pass. */
export interface RelayListener {
  /** Sends deliveries directly if possible. */
  direct: DirectSender;
  /** Called with the number of new deliveries, and how many of them wait in the queue. */
  onDeliveries: (made: number, queued: number) => void;
}

/**
 * Creates deliveries for committed events of the outbox, exactly once: many tenants in one transaction; if that fails,
 * one tenant at a time; if that fails, one event at a time.
 */
@Injectable()
export class EventRelay {
  private readonly logger = new Logger('webhooks');
  private readonly setAsides: Counter;
  /** Tenants with pending events. */
  private pending: string[] = [];
  /** The last tenant found by the last search; nil if the search reached the end. */
  private after = NIL_UUID;
  private passedMs = performance.now();

  constructor(
    private readonly database: Database,
    private readonly fanOut: EventFanOut,
    private readonly setAside: SetAsideEvents,
    metrics: Metrics,
  ) {
    this.setAsides = metrics.counter('events_set_aside_total', 'Events that could not be fanned out.');
    metrics.gauge('events_relay_idle_seconds', 'How long ago the relay last got through a look for events.', () => {
      return (performance.now() - this.passedMs) / 1_000;
    });
  }

  /**
   * Fans out the next events of the next tenants with pending events. Without a listener all deliveries wait in the
   * queue.
   */
  async pass(listener: RelayListener | null = null): Promise<Work> {
    const startedInTheMiddle = this.after !== NIL_UUID;
    if (this.pending.length < ENOUGH) await this.look();
    const next = this.pending.slice(0, TENANTS);
    const most = Math.min(MOST_OF_ONE, Math.floor(BATCH / next.length));
    const room = listener?.direct.room() ?? null;
    const usual = next.map((tenantId) => ({ tenantId, most }));
    const { shares, looked } = room ? listener!.direct.share(usual, room) : { shares: usual, looked: usual.length };
    this.pending.splice(0, looked);
    const hasMore = this.pending.length > 0 || this.after !== NIL_UUID;
    const done = await this.allOrOneByOne(shares, room);
    const { events, made, queued } = done;
    if (room) listener!.direct.send(done, shares);
    if (made > 0) listener?.onDeliveries(made, queued.length);
    this.passedMs = performance.now();
    const isFull = shares.some((share) => (events.get(share.tenantId) ?? 0) >= share.most);
    return hasMore || startedInTheMiddle || isFull ? 'full' : events.size > 0 ? 'some' : 'none';
  }

  /**
   * Searches for tenants with events, starting where the last search ended; if it finds few, it starts again from the
   * first.
   */
  private async look(): Promise<void> {
    const waiting = new Set(this.pending);
    let startedInTheMiddle: boolean;
    do {
      startedInTheMiddle = this.after !== NIL_UUID;
      const [, answer] = await this.database.system([ALONG_INDEX, statement(PENDING_TENANTS, [this.after])]);
      const found = answer!.rows.map((row) => String(row['tenant_id']));
      for (const tenantId of found) waiting.add(tenantId);
      this.after = found.length < TENANTS ? NIL_UUID : found.at(-1)!;
    } while (startedInTheMiddle && this.after === NIL_UUID && waiting.size < ENOUGH);
    this.pending = [...waiting];
  }

  /** Fans out up to 200 events of one tenant. Returns their number, 0 if another relay is processing the tenant. */
  async dispatch(tenantId: string): Promise<number> {
    return (await this.one(tenantId)).events.get(tenantId) ?? 0;
  }

  /** A failing tenant must not block the others. */
  private async allOrOneByOne(shares: readonly Share[], room: DirectRoom | null): Promise<FannedOut> {
    const all = noEvents();
    if (shares.length === 0) return all;
    try {
      return await this.fanOut.next(shares, room);
    } catch (error) {
      if (isUnavailable(error)) throw error;
    }
    const faults: unknown[] = [];
    for (const { tenantId } of shares)
      try {
        const { events, made, queued } = await this.one(tenantId);
        for (const [id, count] of events) all.events.set(id, count);
        all.made += made;
        all.queued.push(...queued);
      } catch (fault) {
        faults.push(fault);
      }
    if (faults.length > 0) throw faults[0];
    return all;
  }

  /** An event that cannot be fanned out even on its own is set aside. */
  private async one(tenantId: string): Promise<FannedOut> {
    try {
      return await this.fanOut.next([{ tenantId, most: MOST_OF_ONE }], null);
    } catch (error) {
      if (isUnavailable(error)) throw error;
    }
    try {
      return await this.fanOut.next([{ tenantId, most: 1 }], null);
    } catch (fault) {
      if (isUnavailable(fault)) throw fault;
      const reason = String(fault);
      const id = await this.setAside.add(tenantId, reason);
      if (id === undefined) return noEvents();
      this.logger.error(`The event ${id} could not be fanned out and was set aside, to be tried again: ${reason}`);
      this.setAsides.inc();
      return { ...noEvents(), events: new Map([[tenantId, 1]]) };
    }
  }
}
