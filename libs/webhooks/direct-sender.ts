import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ENDPOINT_CAP } from './claim.js';
import { DeliveryConsumer } from './delivery.consumer.js';
import { DeliveryScheduler } from './delivery.scheduler.js';
import type { DirectRoom } from './direct-leases.js';
import type { FannedOut, Share } from './event-fan-out.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { LeasedId } from './leased-delivery.js';
import { WorkerPresence } from './worker-presence.js';

/** Part of what may be leased that is to be free before the relay goes on: it makes many as cheaply as few. */
const BATCH = 1 / 4;
/** Longest wait for that: behind slow receivers events get their numbers all the same, and their deliveries the queue. */
const PATIENCE_MS = 250;
/** How long it is remembered which way the deliveries of a tenant went, and for how many. */
const REMEMBERED = { max: 10_000, ttl: 1_000 };

/**
 * Sends what the relay of this process has made and leased at once: without a claim, a job and another read. While all it
 * may have leased is being sent, the relay takes its time: what would wait in the queue waits in the outbox, for less.
 */
@Injectable()
export class DirectSender {
  private readonly logger = new Logger('webhooks');
  /** Deliveries under way by tenant. */
  private readonly underWay = new Map<string, number>();
  /** Tenants of whose last deliveries none could be leased. */
  private readonly queueing = new LRUCache<string, true>(REMEMBERED);
  /** Endpoints for which something waits in the queue behind what is under way. */
  private readonly followed = new LRUCache<string, true>(REMEMBERED);
  private onRoom: () => void = () => undefined;

  constructor(
    private readonly scheduler: DeliveryScheduler,
    private readonly consumer: DeliveryConsumer,
    private readonly keeper: LeaseKeeper,
    private readonly presence: WorkerPresence,
  ) {}

  /** What can be leased now, under a new token; null when there is no room. */
  room(): DirectRoom | null {
    const most = this.scheduler.ahead - this.keeper.directCount;
    return most > 0 ? { most, token: this.presence.token() } : null;
  }

  /** Resolves when there is room for a good number of deliveries, or after a moment. */
  async roomForMany(): Promise<void> {
    if (this.mayGoOn) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE_MS);
      this.onRoom = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * What to take of the events of tenants, `usual` otherwise: of a tenant whose deliveries go out as they are made no more
   * than its endpoint can be sent, and of no more such tenants than there is room for.
   */
  share(usual: readonly Share[], { most }: DirectRoom): Share[] {
    const shares: Share[] = [];
    let left = most;
    for (const share of usual) {
      const { tenantId } = share;
      const free = this.queueing.has(tenantId) ? 0 : ENDPOINT_CAP - (this.underWay.get(tenantId) ?? 0);
      if (free <= 0) {
        shares.push(share);
        continue;
      }
      const own = Math.min(share.most, free);
      if (own > left && shares.length > 0) break;
      left -= own;
      shares.push({ tenantId, most: own });
    }
    return shares;
  }

  /** Begins to send what was leased under `token`. */
  send({ events, leased, queuedFor }: FannedOut, token: string): void {
    for (const endpointId of queuedFor) this.followed.set(endpointId, true);
    for (const tenantId of events.keys()) this.queueing.set(tenantId, true);
    for (const delivery of leased) {
      const { tenantId } = delivery;
      this.keeper.work({ ...delivery, token });
      this.underWay.set(tenantId, (this.underWay.get(tenantId) ?? 0) + 1);
      this.queueing.delete(tenantId);
    }
    if (leased.length === 0) return;
    this.consumer.runDirect(leased, token).catch((error: unknown) => {
      this.logger.error(`${leased.length} deliveries were not begun, and are due again: ${String(error)}`);
    });
  }

  /** One is done with; answers whether something waits for its place. */
  settled({ tenantId, endpointId }: LeasedId): boolean {
    const underWay = this.underWay.get(tenantId)! - 1;
    if (underWay > 0) this.underWay.set(tenantId, underWay);
    else this.underWay.delete(tenantId);
    if (this.mayGoOn) this.onRoom();
    return this.followed.delete(endpointId);
  }

  /** Whether what the relay makes can be leased at once, or as soon as the queue gets to it. */
  private get mayGoOn(): boolean {
    return !this.scheduler.isFull && this.keeper.directCount <= this.scheduler.ahead * (1 - BATCH);
  }
}
