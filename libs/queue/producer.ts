import type { OpenQueue, QueueStore, ReportError } from './queue-store.js';

/** A job to add. */
export interface JobToAdd<T> {
  /** JSON. Little more than ids, because the rows are the source of truth. */
  data: T;
  /**
   * While a job with this id waits or runs, other jobs with the same id are dropped. Not a number, no colon. Generated
   * by default.
   */
  id?: string;
  /** Delay in milliseconds. */
  delayMs?: number;
  /** Lower values first, 1 to 2,000,000. Jobs without a priority come before all others. */
  priority?: number;
}

/** Maximum number of jobs added in one statement. */
const BATCH = 1_000;

/** Maximum wait for the store to accept them. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Adds jobs to a queue. Connects on first use at the latest, and reconnects after a failure. */
export class Producer<T> {
  private opening: Promise<OpenQueue> | null = null;

  constructor(
    private readonly store: QueueStore,
    private readonly name: string,
    private readonly report: ReportError,
  ) {}

  /** Adds one job. @throws Error if the store cannot be reached or does not respond within ten seconds */
  add(job: JobToAdd<T>): Promise<void> {
    return this.addAll([job]);
  }

  /** Adds jobs in order. @throws Error like {@link add}; some jobs may have been added */
  async addAll(jobs: readonly JobToAdd<T>[]): Promise<void> {
    for (let first = 0; first < jobs.length; first += BATCH) {
      const batch = jobs.slice(first, first + BATCH).map(({ data, id, delayMs, priority }) => ({
        name: this.name,
        data,
        opts: {
          ...(id === undefined ? {} : { jobId: id }),
          ...(delayMs === undefined ? {} : { delay: delayMs }),
          ...(priority === undefined ? {} : { priority }),
        },
      }));
      await this.ask((queue) => queue.addBulk(batch));
    }
  }

  /** Number of jobs by state, for metrics. */
  async counts(): Promise<{ waiting: number; active: number; delayed: number }> {
    const counts = await this.ask((queue) => queue.getJobCounts('waiting', 'active', 'delayed'));
    return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0, delayed: counts['delayed'] ?? 0 };
  }

  /** Connects in advance, so that the first job need not wait. @throws Error if the store cannot be reached */
  async connect(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    const queue = await this.opening?.catch(() => null);
    await queue?.close();
  }

  /** A queue that does not respond in time is dropped; the next call opens a new one on new connections. */
  private async ask<R>(question: (queue: OpenQueue) => Promise<R>): Promise<R> {
    const opening = this.open();
    const queue = await opening;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (this.opening === opening) {
          this.opening = null;
          queue.abandon();
        }
        reject(new Error(`Queue ${this.name} did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s.`));
      }, ANSWER_TIMEOUT_MS);
    });
    try {
      return await Promise.race([question(queue), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private open(): Promise<OpenQueue> {
    return (this.opening ??= this.store.openQueue(this.name, this.report).catch((error: unknown) => {
      this.opening = null;
      throw error;
    }));
  }
}
