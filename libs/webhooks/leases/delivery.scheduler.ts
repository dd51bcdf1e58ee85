import { Injectable } from '@nestjs/common';
import { Queues } from '#libs/queue/queues.js';
import type { Room } from './claim.js';
import { DeliveryConsumer, type DeliveryJob } from '../sending/delivery.consumer.js';
import { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';
import { LeasingLead } from './leasing-lead.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { Work } from '#libs/worker/loop.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';

/** Maximum number of deliveries per queue job. A job costs the queue as much as ten deliveries. */
const JOB_SIZE = 800;
/** How long a job may be in transit to this process after it has left the queue. */
const ON_ITS_WAY_MS = 100;
/** Share of slots for retries; the others are reserved for first attempts. */
const RETRY_SHARE = 1 / 2;
/** Share of slots for slow endpoints. */
const SLOW_SHARE = 1 / 4;

/** The process claims at once when one in this many claimed deliveries has finished, and a moment later otherwise. */
const WORTH = 4;

/** Pause after an empty search while direct sending works, because the queue then contains little. */
const REST_MS = 1_000;

/** Leases due deliveries and queues them, many in one job. */
@Injectable()
export class DeliveryScheduler {
  private readonly lead: LeasingLead;
  /** Whether the last claim got all it requested. Then more deliveries wait than this process has slots for. */
  isFull = false;
  private expected = true;
  private foundNothingMs = -Infinity;
  private doneBefore = 0;

  constructor(
    private readonly consumer: DeliveryConsumer,
    private readonly repository: DeliveryRepository,
    private readonly keeper: LeaseKeeper,
    private readonly queues: Queues,
    private readonly presence: WorkerPresence,
  ) {
    this.lead = new LeasingLead(() => consumer.places);
  }

  /** Number of deliveries that a process may lease ahead, by claims and directly. */
  get ahead(): number {
    return this.lead.size;
  }

  /** Whether enough slots are free for a claim, which costs about as much for one delivery as for many. */
  get hasRoom(): boolean {
    return this.free >= this.lead.size / 2;
  }

  /**
   * Whether so many more slots are free than at the last claim that claiming at once is worthwhile: caps of endpoints
   * may have been the limit.
   */
  get hasMoreRoom(): boolean {
    const done = this.keeper.doneCount - this.doneBefore;
    return this.hasRoom && done * WORTH >= this.keeper.queuedCount + this.keeper.workingCount;
  }

  /** Something was queued, or something in the queue no longer waits: the next pass searches. */
  expect(): void {
    this.expected = true;
  }

  /** Claims as much as this process can accept. If the queue is unreachable, the leases are released. */
  async pass(): Promise<Work> {
    await this.presence.beKnown();
    if (!this.hasRoom && !(await this.forgetTaken())) return 'some';
    this.lead.measure(this.keeper.doneCount);
    const { free, room } = this;
    if (free <= 0) return 'some';
    if (this.rests) return 'none';
    this.expected = false;
    this.doneBefore = this.keeper.doneCount;
    const leases = await this.repository.claim(room, this.presence.token());
    this.isFull = false;
    if (leases.length === 0) {
      this.foundNothingMs = performance.now();
      return 'none';
    }
    this.keeper.queue(leases);
    try {
      await this.queue.addAll(jobsOf(leases).map((data) => ({ data })));
    } catch (error) {
      this.keeper.unqueue(leases.map(({ id }) => id));
      await this.repository.giveBack(leases).catch(() => undefined); // then they expire; the first error matters
      throw error;
    }
    this.isFull = leases.length === free;
    return this.isFull ? 'full' : 'some';
  }

  /** Releases queued leases that no worker has taken yet. */
  async close(): Promise<void> {
    await this.repository.giveBack(this.keeper.forgetQueued());
  }

  private get rests(): boolean {
    if (this.expected || this.keeper.directCount === 0) return false;
    return performance.now() - this.foundNothingMs < REST_MS;
  }

  private get free(): number {
    return this.lead.size - this.keeper.queuedCount - this.keeper.workingCount;
  }

  /**
   * Limits of a claim. Retries and slow endpoints get no share of what is leased ahead, because they would fill all
   * slots.
   */
  private get room(): Room {
    const { retries, slow } = this.keeper.kinds;
    const share = (part: number, taken: number) => Math.max(0, Math.ceil(this.consumer.places * part) - taken);
    return { total: this.free, retries: share(RETRY_SHARE, retries), slow: share(SLOW_SHARE, slow) };
  }

  /**
   * If the queue is empty, every queued job is in progress, here or elsewhere. Returns false if too few slots became
   * free.
   */
  private async forgetTaken(): Promise<boolean> {
    if (!this.keeper.hasQueued(ON_ITS_WAY_MS) || (await this.queue.counts()).waiting > 0) return false;
    this.keeper.forgetQueued(ON_ITS_WAY_MS);
    return this.hasRoom;
  }

  private get queue() {
    return this.queues.queue<DeliveryJob>('webhook-deliveries');
  }
}

function jobsOf(leases: readonly Lease[]): DeliveryJob[] {
  const jobs: DeliveryJob[] = [];
  for (let first = 0; first < leases.length; first += JOB_SIZE) {
    const tenants = Map.groupBy(leases.slice(first, first + JOB_SIZE), ({ tenantId }) => tenantId);
    jobs.push({
      token: leases[first]!.token,
      tenants: Array.from(tenants, ([id, own]) => ({
        id,
        deliveryIds: own.map((lease) => lease.id),
      })),
    });
  }
  return jobs;
}
