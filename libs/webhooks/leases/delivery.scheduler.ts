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

/** Deliveries that one job of the queue brings at most: a job costs the queue as much as ten deliveries. */
const JOB_SIZE = 800;
/** How long a job may be on its way to this process when it is in the queue no more. */
const ON_ITS_WAY_MS = 100;
/** Of the places for sending, how many retries may have: the others are kept for first attempts. */
const RETRY_SHARE = 1 / 2;
/** How many slow endpoints may have: the slow lane. */
const SLOW_SHARE = 1 / 4;

/** One in so many of what a process has claimed is to be done with before it claims at once instead of a moment later. */
const WORTH = 4;

/** Pause after a look that found nothing, while what this process makes is sent at once: then the queue holds little else. */
const REST_MS = 1_000;

/** Leases deliveries that are due and puts them into the queue, many in one job. */
@Injectable()
export class DeliveryScheduler {
  private readonly lead: LeasingLead;
  /** Whether the last claim got all it asked for, so that more waits in the queue than this process has places for. */
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

  /** Deliveries that a process may lease ahead: so many by claims, and so many as it makes them. */
  get ahead(): number {
    return this.lead.size;
  }

  /** Whether so much is free that it is worth claiming: a claim costs about as much for one delivery as for many. */
  get hasRoom(): boolean {
    return this.free >= this.lead.size / 2;
  }

  /** Whether so much more than at the last claim is that it is worth claiming at once: caps of endpoints may be what it waits for. */
  get hasMoreRoom(): boolean {
    const done = this.keeper.doneCount - this.doneBefore;
    return this.hasRoom && done * WORTH >= this.keeper.queuedCount + this.keeper.workingCount;
  }

  /** Something has come into the queue, or what stood before something there is done with: the next pass looks. */
  expect(): void {
    this.expected = true;
  }

  /** Claims what this process can take. A queue that cannot be reached gets nothing: the leases are given back. */
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
      await this.repository.giveBack(leases).catch(() => undefined); // then they run out; the first error matters
      throw error;
    }
    this.isFull = leases.length === free;
    return this.isFull ? 'full' : 'some';
  }

  /** Gives back what nobody has taken from the queue yet. */
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

  /** What a claim may take. Retries and slow endpoints have no share of what is leased ahead, or they would fill all places. */
  private get room(): Room {
    const { retries, slow } = this.keeper.kinds;
    const share = (part: number, taken: number) => Math.max(0, Math.ceil(this.consumer.places * part) - taken);
    return { total: this.free, retries: share(RETRY_SHARE, retries), slow: share(SLOW_SHARE, slow) };
  }

  /** With an empty queue everything put into it is being worked on, here or elsewhere. False when too little got free. */
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
