import { Injectable } from '@nestjs/common';
import type { Consumer } from '#libs/queue/consumer.js';
import { Queues } from '#libs/queue/queues.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { HeldJobs } from '#src/areas/ai/runs/held-jobs.js';
import { JobConsumer } from '#src/areas/ai/runs/job.consumer.js';
import { JobScheduler } from '#src/areas/ai/runs/job.scheduler.js';
import { JobSweeps } from '#src/areas/ai/runs/job-sweeps.js';
import type { Lease } from '#src/areas/ai/runs/lease.js';
import { OF_AI_JOBS } from '#src/areas/ai/tools/requesters.js';

const SCHEDULE = { busyMs: 50, idleMs: 250 };
const EXPIRE = { busyMs: 250, idleMs: 1_000 };
const STOP = { busyMs: 50, idleMs: 300 };
/** A fifth of the lease; also the delay before a run notices that its job was cancelled. */
const RENEW = { busyMs: 1_000, idleMs: 1_000 };
/** Maximum number of hints processed at a time. A hint is done once its run has started. */
const HINTS_AT_A_TIME = 8;
/** Maximum wait for running jobs when the process stops: the whole shutdown may take 10 s. */
const DRAIN_MS = 7_000;
/** Maximum wait for hints in progress. */
const HINTS_DRAIN_MS = 1_000;

/** Runs AI jobs until the process stops. */
@Injectable()
export class AiWorker implements Background {
  readonly onBehalf = OF_AI_JOBS;
  private readonly scheduling = new Loop('The scheduler of AI jobs', SCHEDULE, () => this.scheduler.pass());
  private readonly renewing = new Loop('The renewal of AI jobs', RENEW, () => this.renewOnce());
  private readonly sweeps = [
    new Loop('The expiry of AI jobs', EXPIRE, () => this.jobSweeps.expire()),
    new Loop('The stop of AI jobs', STOP, () => this.jobSweeps.stop()),
  ];
  private hints: Consumer<Lease> | null = null;
  private closing = false;

  constructor(
    private readonly scheduler: JobScheduler,
    private readonly consumer: JobConsumer,
    private readonly held: HeldJobs,
    private readonly jobSweeps: JobSweeps,
    private readonly queues: Queues,
  ) {}

  start(): void {
    if (this.closing) return; // told to stop while other work began
    this.consumer.start(() => this.scheduling.wake());
    this.hints = this.queues.consume<Lease>('ai-jobs', ({ data }) => this.consumer.take(data), {
      concurrency: HINTS_AT_A_TIME,
    });
    for (const loop of [this.scheduling, this.renewing, ...this.sweeps]) loop.start();
  }

  /**
   * Stops claiming, releases jobs that have not started, waits for running ones and releases those that take too long.
   */
  async stop(): Promise<void> {
    const stoppedMs = performance.now();
    this.closing = true;
    await Promise.all([this.scheduling, ...this.sweeps].map((loop) => loop.stop()));
    this.consumer.close();
    await this.hints?.stop(HINTS_DRAIN_MS);
    await this.scheduler.close().catch(() => undefined); // without the database the leases expire
    await this.consumer.drain(Math.max(0, DRAIN_MS - (performance.now() - stoppedMs)));
    await this.renewing.stop();
  }

  private async renewOnce(): Promise<Work> {
    await this.held.renew();
    return 'none';
  }
}
