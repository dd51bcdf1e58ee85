import { Injectable } from '@nestjs/common';
import { type HeldLease, type Interruption, type Lease, type QueueEntry } from './lease.js';
import { JobQueueRepository } from './job-queue.repository.js';

/** How long leases are renewed while no worker has taken the job from the queue, because the hint may be lost. */
const QUEUE_PATIENCE_MS = 10_000;

/** A job that runs in this process. */
export interface Run {
  lease: HeldLease;
  /** Aborted with an {@link Interruption} to stop the run. */
  abort: AbortController;
}

/**
 * The leases that this process must renew: queued ones until a worker takes them, and those of its running jobs.
 * Renewal also detects cancelled jobs.
 */
@Injectable()
export class HeldJobs {
  private readonly queued = new Map<string, Lease & { sinceMs: number }>();
  private readonly running = new Map<string, Run>();

  constructor(private readonly repository: JobQueueRepository) {}

  get queuedCount(): number {
    return this.queued.size;
  }

  get runningCount(): number {
    return this.running.size;
  }

  /** Starts renewing leases whose hints are queued. */
  queue(leases: readonly Lease[]): void {
    const sinceMs = performance.now();
    for (const lease of leases) this.queued.set(lease.jobId, { ...lease, sinceMs });
  }

  /** Stops renewing queued leases; by default all of them. */
  unqueue(jobIds: readonly string[] = [...this.queued.keys()]): Lease[] {
    const leases = jobIds.flatMap((id) => this.queued.get(id) ?? []);
    for (const id of jobIds) this.queued.delete(id);
    return leases;
  }

  begin(lease: HeldLease): Run {
    const run: Run = { lease, abort: new AbortController() };
    this.queued.delete(lease.jobId);
    this.running.set(lease.jobId, run);
    return run;
  }

  end(run: Run): void {
    if (this.running.get(run.lease.jobId) === run) this.running.delete(run.lease.jobId);
  }

  /** Aborts all runs. */
  interruptAll(interruption: Interruption): void {
    for (const { abort } of this.running.values()) abort.abort(interruption);
  }

  /** Renews all leases, and aborts runs of cancelled jobs and lost leases. */
  async renew(): Promise<void> {
    const nowMs = performance.now();
    for (const [id, { sinceMs }] of this.queued) if (nowMs - sinceMs > QUEUE_PATIENCE_MS) this.queued.delete(id);
    const runs = [...this.running.values()];
    const queued = [...this.queued.values()];
    if (queued.length + runs.length === 0) return;
    const states = await this.repository.renew([...queued, ...runs.map(({ lease }) => lease)]);
    for (const { jobId, token } of queued)
      if (!states.has(jobId) && this.queued.get(jobId)?.token === token) this.queued.delete(jobId); // another worker has it
    for (const run of runs) interrupt(run, states.get(run.lease.jobId));
  }
}

function interrupt({ abort }: Run, state: QueueEntry['state'] | undefined): void {
  if (state === undefined) abort.abort('lost' satisfies Interruption);
  else if (state === 'closing') abort.abort('cancelled' satisfies Interruption);
}
