import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { logFailure } from '#libs/database/log-failure.js';
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
 * Runs the jobs of the queue. A hint is done once its run has started; from then on, only the lease in PostgreSQL
 * determines who owns the job.
 */
@Injectable()
export class JobConsumer {
  private readonly logger = new Logger('ai');
  private readonly places: number;
  private readonly runs = new Set<Promise<void>>();
  private taking = 0;
  private stopping = false;
  private onDone: () => void = () => undefined;
  private readonly durations: Histogram;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'AI_CONCURRENCY'>,
    private readonly repository: JobQueueRepository,
    private readonly held: HeldJobs,
    private readonly runner: JobRunner,
    private readonly presence: WorkerPresence,
    metrics: Metrics,
  ) {
    this.places = settings.AI_CONCURRENCY;
    this.durations = metrics.histogram('ai_job_run_seconds', 'How long this process worked on AI jobs.');
    metrics.gauge('ai_jobs_running', 'AI jobs that this process runs.', () => this.runs.size);
  }

  /** `onDone` is called whenever a run ends, because another job can then be claimed. */
  start(onDone: () => void): void {
    this.onDone = onDone;
  }

  /**
   * Takes a job over and starts it; resolves once it has started. Ignores an outdated hint. Without a free slot the job
   * is released, because another worker may have one.
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

  /** Stops starting jobs. */
  close(): void {
    this.stopping = true;
  }

  /** Waits for running jobs; after `limitMs` they are aborted and released for another worker. */
  async drain(limitMs: number): Promise<void> {
    const timer = setTimeout(() => this.held.interruptAll('shutdown'), limitMs);
    while (this.runs.size > 0) await Promise.all(this.runs);
    clearTimeout(timer);
  }

  private async run({ lease, abort }: Run): Promise<void> {
    const stopwatch = this.durations.startTimer();
    try {
      await runAsSystem(lease.tenant, ACTOR, uuidv7(), () => this.runner.run(lease, abort));
    } catch (error) {
      if (error instanceof LeaseLost) return;
      // Without a result the lease expires, and another worker takes the job over.
      logFailure(this.logger, `The job ${lease.jobId} was left as it is`, error);
    } finally {
      stopwatch();
    }
  }
}
