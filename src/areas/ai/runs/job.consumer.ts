import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { HeldJobs, type Run } from './held-jobs.js';
import { JobQueueRepository } from './job-queue.repository.js';
import { JobRunner } from './job-runner.js';
import { type Lease, LeaseLost } from './lease.js';

const ACTOR = 'AI jobs';

/**
 * Runs the jobs that the queue brings. A hint is done with when its run has begun; from then on only the lease in PostgreSQL
 * says whose the job is.
 */
@Injectable()
export class JobConsumer {
  private readonly logger = new Logger('ai');
  private readonly places: number;
  private readonly runs = new Set<Promise<void>>();
  private taking = 0;
  private stopping = false;
  private onDone: () => void = () => undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'AI_CONCURRENCY'>,
    private readonly repository: JobQueueRepository,
    private readonly held: HeldJobs,
    private readonly runner: JobRunner,
    private readonly presence: WorkerPresence,
    metrics: Metrics,
  ) {
    this.places = settings.AI_CONCURRENCY;
    metrics.gauge('ai_jobs_running', 'AI jobs that this process runs.', () => this.runs.size);
  }

  /** The listener is called whenever a run has ended, so that another job can be claimed. */
  start(onDone: () => void): void {
    this.onDone = onDone;
  }

  /**
   * Takes a job over and begins to run it; resolves when it has begun. A hint that is out of date does nothing, and one for
   * which there is no place is given back: it may have been meant for another worker, which has one.
   */
  async take(hint: Lease): Promise<void> {
    if (this.stopping || this.held.runningCount + this.taking >= this.places) return this.repository.giveBack([hint]);
    this.taking++;
    const lease = await this.repository.take(hint, this.presence.token()).finally(() => this.taking--);
    if (!lease) return;
    const run = this.held.begin(lease);
    const work = this.run(run).finally(() => {
      this.held.end(run);
      this.runs.delete(work);
      this.onDone();
    });
    this.runs.add(work);
  }

  /** Begins nothing more. */
  close(): void {
    this.stopping = true;
  }

  /** Waits for what runs; after `limitMs` it is cut off and given back, so that another worker goes on with it. */
  async drain(limitMs: number): Promise<void> {
    const timer = setTimeout(() => this.held.interruptAll('shutdown'), limitMs);
    while (this.runs.size > 0) await Promise.all(this.runs);
    clearTimeout(timer);
  }

  private async run({ lease, abort }: Run): Promise<void> {
    try {
      await runAsSystem(lease.tenant, ACTOR, uuidv7(), () => this.runner.run(lease, abort));
    } catch (error) {
      if (error instanceof LeaseLost) return;
      // Without a result the lease runs out, and the job is taken over.
      this.logger.error(`The job ${lease.jobId} was left as it is: ${String(error)}`);
    }
  }
}
