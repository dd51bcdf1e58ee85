import { Injectable, Logger } from '@nestjs/common';
import { logFailure } from '#libs/database/log-failure.js';
import { Clock } from '#libs/kernel/clock.js';
import { within } from '#libs/outbound/deadline.js';
import { Loop, type Work } from '#libs/worker/loop.js';
import type { Background } from '#libs/worker/worker-part.js';
import { type JobLease, JobLeaseLost, JobQueue } from './job-queue.js';
import { JobRunner } from './job-runner.js';
import { Jobs } from './jobs.js';

const POLL = { busyMs: 50, idleMs: 250 };
/** A fifth of a lease; also the delay before work outside of a transaction notices that its job was cancelled. */
const RENEW = { busyMs: 1_000, idleMs: 1_000 };
/** How long the steps of one job follow each other before other jobs get their turn. */
const TURN_MS = 1_000;
/** Jobs carried out in parallel, each on a separate connection. */
const AT_A_TIME = 4;
/** Longest wait for steps in progress when the process stops: the whole shutdown may take 10 s. */
const DRAIN_MS = 7_000;
/** Longest wait for aborted steps. */
const ABORT_MS = 1_000;

/** A job that this process carries out. */
interface Turn {
  lease: JobLease;
  abort: AbortController;
  over: Promise<void>;
}

/** Carries out the jobs of all tenants in turn until the process stops. */
@Injectable()
export class JobWorker implements Background {
  readonly onBehalf = { of: 'platform', because: 'queued' } as const;
  private readonly logger = new Logger('jobs');
  private readonly claiming = new Loop('The search for jobs', POLL, () => this.claim());
  private readonly renewing = new Loop('The renewal of jobs', RENEW, () => this.renew());
  private readonly turns = new Set<Turn>();
  private closing = false;

  constructor(
    private readonly jobs: Jobs,
    private readonly queue: JobQueue,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {}

  start(): void {
    if (this.closing) return; // told to stop while other work began
    this.claiming.start();
    this.renewing.start();
  }

  /** Takes no further jobs and waits for steps in progress; those that take too long are left to other workers. */
  async stop(): Promise<void> {
    this.closing = true;
    await this.claiming.stop();
    await within(DRAIN_MS, this.drained()).catch(() => this.abort([...this.turns]));
    await within(ABORT_MS, this.drained()).catch(() => undefined); // the lease expires
    await this.renewing.stop();
  }

  /** Gives each of the next jobs one turn, and waits until all have had it. */
  async pass(): Promise<Work> {
    const work = await this.claim();
    await this.drained();
    return work;
  }

  private async drained(): Promise<void> {
    while (this.turns.size > 0) await Promise.all([...this.turns].map(({ over }) => over));
  }

  /** Starts the turns of as many jobs as there is room for. */
  private async claim(): Promise<Work> {
    const room = AT_A_TIME - this.turns.size;
    if (room <= 0) return 'some';
    const leases = await this.queue.claim(this.clock.now(), [...this.jobs.kinds.keys()], room);
    for (const lease of leases) this.begin(lease);
    return leases.length === room ? 'full' : leases.length > 0 ? 'some' : 'none';
  }

  private begin(lease: JobLease): void {
    const abort = new AbortController();
    const turn: Turn = { lease, abort, over: Promise.resolve() };
    turn.over = this.carryOut(turn).finally(() => {
      this.turns.delete(turn);
      this.claiming.wake();
    });
    this.turns.add(turn);
  }

  private async carryOut({ lease, abort: { signal } }: Turn): Promise<void> {
    try {
      const untilMs = performance.now() + TURN_MS;
      while (await this.runner.step(lease, signal, () => !signal.aborted && performance.now() < untilMs));
      if (signal.aborted) await this.queue.giveBack([lease]);
    } catch (error) {
      if (error instanceof JobLeaseLost) return;
      // The lease expires, and a worker takes the job again.
      logFailure(this.logger, `The job ${lease.jobId} was left as it is`, error);
    }
  }

  private async renew(): Promise<Work> {
    const turns = [...this.turns];
    if (turns.length === 0) return 'none';
    const held = await this.queue.renew(turns.map(({ lease }) => lease));
    this.abort(turns.filter(({ lease }) => !held.has(lease.token)));
    return 'none';
  }

  private abort(turns: readonly Turn[]): void {
    for (const { abort } of turns) abort.abort();
  }
}
