import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Queues } from '#libs/queue/queues.js';
import type { DeliveryJob } from './delivery.consumer.js';
import { DeliveryRepository, type Lease } from './delivery.repository.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { Work } from './loop.js';

/** Deliveries that are leased ahead, as a multiple of those that are sent at a time. */
const AHEAD = 2;

/** Leases deliveries that are due and puts them into the queue, one job for those of one tenant. */
@Injectable()
export class DeliveryScheduler {
  private readonly capacity: number;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'WORKER_CONCURRENCY'>,
    private readonly repository: DeliveryRepository,
    private readonly keeper: LeaseKeeper,
    private readonly queues: Queues,
  ) {
    this.capacity = settings.WORKER_CONCURRENCY * AHEAD;
  }

  /** Whether so much is free that it is worth claiming before the next look. */
  get hasRoom(): boolean {
    return this.free >= this.capacity / 4;
  }

  /** Claims what this process can take. A queue that cannot be reached gets nothing: the leases are given back. */
  async pass(): Promise<Work> {
    if (this.free <= 0 && !(await this.forgetTaken())) return 'some';
    const free = this.free;
    const leases = await this.repository.claim(free, randomUUID());
    if (leases.length === 0) return 'none';
    this.keeper.queue(leases);
    try {
      await this.queue.addAll(jobsOf(leases).map((data) => ({ data })));
    } catch (error) {
      this.keeper.unqueue(leases.map(({ id }) => id));
      await this.repository.giveBack(leases).catch(() => undefined); // then they run out; the first error matters
      throw error;
    }
    return leases.length === free ? 'full' : 'some';
  }

  /** Gives back what nobody has taken from the queue yet. */
  async close(): Promise<void> {
    await this.repository.giveBack(this.keeper.forgetQueued());
  }

  private get free(): number {
    return this.capacity - this.keeper.queuedCount - this.keeper.workingCount;
  }

  /** With an empty queue everything put into it is being worked on, here or elsewhere. False when nothing got free. */
  private async forgetTaken(): Promise<boolean> {
    if (this.keeper.queuedCount === 0 || (await this.queue.counts()).waiting > 0) return false;
    this.keeper.forgetQueued();
    return this.free > 0;
  }

  private get queue() {
    return this.queues.queue<DeliveryJob>('webhook-deliveries');
  }
}

function jobsOf(leases: readonly Lease[]): DeliveryJob[] {
  const jobs = new Map<string, DeliveryJob>();
  for (const { tenantId, id, token } of leases) {
    const job = jobs.get(tenantId);
    if (job) job.ids.push(id);
    else jobs.set(tenantId, { tenantId, token, ids: [id] });
  }
  return [...jobs.values()];
}
