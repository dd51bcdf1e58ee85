import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ENDPOINT_CAP } from '../leases/claim.js';
import { DeliveryConsumer } from './delivery.consumer.js';
import { DeliveryScheduler } from '../leases/delivery.scheduler.js';
import type { DirectRoom } from '../leases/direct-leases.js';
import type { FannedOut, QueuedDelivery, Share } from '../relay/event-fan-out.js';
import { LeaseKeeper } from '../leases/lease-keeper.js';
import type { DoneDelivery, LeasedId } from '../leases/leased-delivery.js';
import { logFailure } from '#libs/database/log-failure.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';

/**
 * Share of the leases that must be free before the relay continues, because many deliveries cost little more than few.
 */
const BATCH = 1 / 4;
/** Maximum wait for that. With slow receivers, events still get their numbers and their deliveries go to the queue. */
const PATIENCE_MS = 250;
/** An endpoint is busy while this many of its deliveries are leased here, because new ones would wait in the queue. */
const BUSY = ENDPOINT_CAP / 2;
/** How long the events of a tenant may wait for its endpoints while all are busy. */
const TENANT_PATIENCE_MS = 1_000;
/** For how many tenants, and how long, the endpoints of their last deliveries are cached. */
const REMEMBERED = { max: 10_000, ttl: 60_000 };

/** Cached data of a tenant. */
interface Course {
  /** Endpoints of its last events. */
  endpoints: Set<string>;
  /** Whether some of its last deliveries were sent directly. */
  isDirect: boolean;
  /** When its events started to wait (`performance.now()`); null if they do not wait. */
  waitsSinceMs: number | null;
}

/** Which events the relay processes. */
export interface Shares {
  shares: Share[];
  /** Number of tenants considered; there was no room for the others. */
  looked: number;
}

/**
 * Sends deliveries that the relay of this process has created and leased, without a claim, a job or another read. While
 * its limit of leases is reached, the relay slows down: waiting in the outbox costs a third of waiting in the queue.
 * Events that would wait for one tenant's endpoints also wait there, for up to a second.
 */
@Injectable()
export class DirectSender {
  private readonly logger = new Logger('webhooks');
  private readonly courses = new LRUCache<string, Course>(REMEMBERED);
  /** Endpoints, and in ordered lanes resources, with queued deliveries behind those in progress. */
  private readonly followed = new LRUCache<string, true>({ max: REMEMBERED.max });
  private onRoom: () => void = () => undefined;

  constructor(
    private readonly scheduler: DeliveryScheduler,
    private readonly consumer: DeliveryConsumer,
    private readonly keeper: LeaseKeeper,
    private readonly presence: WorkerPresence,
  ) {}

  /** What can be leased now, under a new token; null if there is no room. */
  room(): DirectRoom | null {
    const most = this.scheduler.ahead - this.keeper.directCount;
    return most > 0 ? { most, token: this.presence.token() } : null;
  }

  /** Resolves when there is room for many deliveries, or after a short wait. */
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
   * Maximum number of events per tenant, by default `usual`. For a tenant with direct deliveries: no more than its
   * endpoints can accept, and nothing while all of them are busy (for up to a second, then everything). No more such
   * tenants than there is room for.
   */
  share(usual: readonly Share[], { most }: DirectRoom): Shares {
    const shares: Share[] = [];
    let [left, looked] = [most, 0];
    for (const share of usual) {
      const course = this.courses.get(share.tenantId);
      const leased = course ? this.leastLeased(share.tenantId, course) : 0;
      if (course && leased >= BUSY) {
        if (!mayWait(course)) shares.push(share);
      } else {
        if (course) course.waitsSinceMs = null;
        const own = Math.min(share.most, ENDPOINT_CAP - leased);
        if (own > left && shares.length > 0) break;
        if (course?.isDirect !== false) left -= own;
        shares.push({ ...share, most: own });
      }
      looked++;
    }
    return { shares, looked };
  }

  /** Starts to send the leased deliveries. */
  send({ events, leased, queued }: FannedOut, shares: readonly Share[]): void {
    for (const { endpointId, subjectId } of queued) {
      this.followed.set(endpointId, true);
      if (subjectId !== null) this.followed.set(resourceOf(endpointId, subjectId), true);
    }
    this.remember(leased, queued);
    for (const { tenantId, most } of shares) {
      const course = this.courses.peek(tenantId);
      if (course && (events.get(tenantId) ?? 0) < most) course.waitsSinceMs = null;
    }
    for (const each of leased) this.keeper.work(each);
    if (leased.length === 0) return;
    this.consumer.runDirect(leased).catch((error: unknown) => {
      logFailure(this.logger, `${leased.length} deliveries were not begun, and are due again`, error);
    });
  }

  /** A delivery is done. Returns whether something waits for its slot, or for the delivery itself. */
  settled({ endpointId, subjectId }: DoneDelivery): boolean {
    if (this.mayGoOn) this.onRoom();
    if (this.followed.size === 0) return false;
    const isPlace = this.followed.delete(endpointId);
    return this.followed.delete(resourceOf(endpointId, subjectId)) || isPlace;
  }

  /** Whether events of a tenant wait for the slot of one of its deliveries that is now done. */
  isAwaited({ tenantId }: LeasedId): boolean {
    const course = this.courses.peek(tenantId);
    return course !== undefined && course.waitsSinceMs !== null && this.leastLeased(tenantId, course) < BUSY;
  }

  private remember(leased: readonly LeasedId[], queued: readonly QueuedDelivery[]): void {
    const direct = new Set(leased.map(({ tenantId }) => tenantId));
    for (const [tenantId, own] of Map.groupBy([...leased, ...queued], (each) => each.tenantId)) {
      const course = this.courses.get(tenantId) ?? { endpoints: new Set(), isDirect: false, waitsSinceMs: null };
      for (const { endpointId } of own) course.endpoints.add(endpointId);
      course.isDirect = direct.has(tenantId);
      this.courses.set(tenantId, course);
    }
  }

  /** The lowest number of deliveries leased here for any of a tenant's endpoints. */
  private leastLeased(tenantId: string, { endpoints }: Course): number {
    return Math.min(...Array.from(endpoints, (endpointId) => this.keeper.countOf(tenantId, endpointId)));
  }

  /** Whether new deliveries can be leased at once, or as soon as the queue is processed. */
  private get mayGoOn(): boolean {
    return !this.scheduler.isFull && this.keeper.directCount <= this.scheduler.ahead * (1 - BATCH);
  }
}

function resourceOf(endpointId: string, subjectId: string): string {
  return `${endpointId} ${subjectId}`;
}

function mayWait(course: Course): boolean {
  const nowMs = performance.now();
  course.waitsSinceMs ??= nowMs;
  return nowMs - course.waitsSinceMs < TENANT_PATIENCE_MS;
}
