import { Inject, Injectable } from '@nestjs/common';
import { DEFAULT_POLICY } from '#libs/ai/policy.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { Queues } from '#libs/queue/queues.js';
import type { Work } from '#libs/worker/loop.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { HeldJobs } from './held-jobs.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { Lease } from './lease.js';

/** Leases due jobs and queues hints for the next free worker. */
@Injectable()
export class JobScheduler {
  private readonly places: number;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'AI_CONCURRENCY'>,
    private readonly repository: JobQueueRepository,
    private readonly held: HeldJobs,
    private readonly queues: Queues,
    private readonly presence: WorkerPresence,
    private readonly clock: Clock,
  ) {
    this.places = settings.AI_CONCURRENCY;
  }

  /** Claims as many jobs as this process can run. If the queue is unreachable, the leases are released. */
  async pass(): Promise<Work> {
    const room = this.places - this.held.queuedCount - this.held.runningCount;
    if (room <= 0) return 'some';
    const leases = await this.repository.claim({
      room,
      token: this.presence.token(),
      concurrency: DEFAULT_POLICY.concurrency,
      now: this.clock.now().toISOString(),
    });
    if (leases.length === 0) return 'none';
    this.held.queue(leases);
    try {
      await this.queues.queue<Lease>('ai-jobs').addAll(leases.map((data) => ({ data })));
    } catch (error) {
      const own = this.held.unqueue(leases.map(({ jobId }) => jobId));
      await this.repository.giveBack(own).catch(() => undefined); // then they expire; the first error matters
      throw error;
    }
    return leases.length === room ? 'full' : 'some';
  }

  /** Releases queued leases that no worker has taken yet. */
  async close(): Promise<void> {
    await this.repository.giveBack(this.held.unqueue());
  }
}
